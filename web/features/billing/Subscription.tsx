import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { call } from '#web/lib/api.ts'
import { longDate } from '#web/lib/format.ts'
import { Button } from '#web/ui/Button.tsx'
import styles from './subscription.module.css'

/** A subscriber's plan, the day it renews or ends, and the one click that cancels or resumes it. Nothing for anyone else. */
export function Subscription() {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { data: user } = useQuery(userQuery)
  const [busy, setBusy] = useState(false)
  if (!user?.membership.plan) return null
  const { plan, renews_at, ends_at, cancel_at_period_end: cancelled } = user.membership
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
        <p>
          {cancelled
            ? t('shopping.ends', { name: plan.name, date: longDate(ends_at) })
            : t('shopping.renews', { name: plan.name, date: longDate(renews_at) })}
        </p>
      </div>
      <Button look="quiet" disabled={busy} onClick={() => void change()}>
        {t(cancelled ? 'shopping.resume' : 'shopping.cancel')}
      </Button>
    </section>
  )
}
