import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { cancelSubscription, resumeSubscription, type OfferedGateway } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { plansQuery, refetchSubscription } from '#web/features/billing/payments/queries.ts'
import { usePlanChange } from './use-plan-change.ts'
import { paymentMethodsFor } from '#web/features/billing/payment-methods/PaymentMethodPicker.tsx'
import { membershipText } from '#web/features/billing/payments/price-copy.ts'
import styles from '#web/features/billing/payment-methods/subscription.module.css'

/**
 * A subscriber's plan, the date it renews or ends, and the button that cancels or resumes it, or reverts a planned change; with a
 * note below, and further buttons. Renders nothing for other viewers.
 */
export function Subscription({ note, actions }: { note?: ReactNode; actions?: ReactNode }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { data: user } = useQuery(userQuery)
  const [busy, setBusy] = useState(false)
  if (!user?.membership.plan) return null
  const { plan, next_plan, cancel_at_period_end: cancelled } = user.membership
  const change = async () => {
    setBusy(true)
    const idempotencyKey = crypto.randomUUID()
    // A toast has shown any error; if the subscription has ended, the refetched user shows it.
    await call(cancelled ? resumeSubscription : cancelSubscription, { idempotencyKey }).catch(() => {})
    await refetchSubscription(queryClient)
    setBusy(false)
  }
  return (
    <section className={styles.subscription} aria-label={t('shopping.yours')}>
      <div role="status">
        <h2>{t('shopping.yours')}</h2>
        <p>{membershipText(t, user.membership)}</p>
        {note}
      </div>
      <div className={styles.buttons}>
        {actions}
        {next_plan && !cancelled && <RevertPlanChange plan={plan} />}
        <Button variant="quiet" disabled={busy} onClick={() => void change()}>
          {t(cancelled ? 'shopping.resume' : 'shopping.cancel')}
        </Button>
      </div>
    </section>
  )
}

/** Reverts a planned change of plan; renders nothing until the payment methods are loaded. */
function RevertPlanChange({ plan }: { plan: NonNullable<Membership['plan']> }) {
  const gateways = useQuery(plansQuery).data?.gateways
  const method = gateways && paymentMethodsFor('plan', gateways)[0]
  return method && <RevertPlanChangeButton plan={plan} method={method} />
}

function RevertPlanChangeButton({
  plan,
  method,
}: {
  plan: NonNullable<Membership['plan']>
  method: OfferedGateway
}) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { busy, change } = usePlanChange(method)
  const revert = async () => {
    if (!(await change(plan.id))) notify(t('shopping.changeFailed'))
    // It may have been reverted elsewhere: the refetched user shows it.
    await refetchSubscription(queryClient)
  }
  return (
    <Button variant="quiet" disabled={busy} onClick={() => void revert()}>
      {t('shopping.stay', { name: plan.name })}
    </Button>
  )
}
