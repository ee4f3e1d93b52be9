import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { call } from '#web/lib/api.ts'
import { orderFormPath, paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { plansQuery } from './queries.ts'
import { waysFor } from './Ways.tsx'
import { membershipWords } from './words.ts'
import styles from './subscription.module.css'

/**
 * A subscriber's plan, the day it renews or ends, and the one click that cancels or resumes it. Nothing for anyone else.
 * `payNow` leads to where a payment that did not go through is made up for.
 */
export function Subscription({ payNow = false }: { payNow?: boolean }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { data: user } = useQuery(userQuery)
  const [busy, setBusy] = useState(false)
  if (!user?.membership.plan) return null
  const { status, cancel_at_period_end: cancelled } = user.membership
  const change = async () => {
    setBusy(true)
    const idempotencyKey = crypto.randomUUID()
    // A failure says so itself; where the subscription is over by now, the user read again shows it.
    await call(cancelled ? resumeSubscription : cancelSubscription, { idempotencyKey }).catch(() => {})
    await queryClient.invalidateQueries({ queryKey: userQuery.queryKey })
    setBusy(false)
  }
  return (
    <section className={styles.subscription} aria-label={t('shopping.yours')}>
      <div role="status">
        <h2>{t('shopping.yours')}</h2>
        <p>{membershipWords(t, user.membership)}</p>
      </div>
      <div className={styles.buttons}>
        {status === 'past_due' && payNow && <PayNow plan={user.membership.plan.id} />}
        <Button look="quiet" disabled={busy} onClick={() => void change()}>
          {t(cancelled ? 'shopping.resume' : 'shopping.cancel')}
        </Button>
      </div>
    </section>
  )
}

/** To the form for the period that is open, the card first; to the plans while it is not known what can be paid with. */
function PayNow({ plan }: { plan: string }) {
  const { t, i18n } = useTranslation()
  const gateways = useQuery(plansQuery).data?.gateways
  const way = gateways && waysFor('plan', gateways)[0]
  if (!way)
    return (
      <Link className={buttonClass('main')} to={paths.shopping.to()}>
        {t('shopping.payNow')}
      </Link>
    )
  const form = orderFormPath({ kind: 'plan', id: plan, gateway: way.id, method: way.kind })
  return (
    <a className={buttonClass('main')} href={`${form}&lang=${i18n.language}`}>
      {t('shopping.payNow')}
    </a>
  )
}
