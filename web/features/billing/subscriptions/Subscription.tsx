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
import { membershipText } from './membership-copy.ts'
import styles from '#web/features/billing/payment-methods/subscription.module.css'

/**
 * A subscriber's plan and the date on which it renews or ends. A button cancels or resumes the subscription; another
 * reverts a planned change. Renders nothing for viewers without a plan.
 * @param note shown below the plan
 * @param actions further buttons
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
    // A failed call has shown a toast. If the subscription has ended meanwhile, the refetched user shows that.
    await call(cancelled ? resumeSubscription : cancelSubscription, { idempotencyKey }).catch(() => {})
    await refetchSubscription(queryClient)
    setBusy(false)
  }
  return (
    <section className={styles.subscription} aria-label={t('shopping.yourSubscription')}>
      <div role="status">
        <h2>{t('shopping.yourSubscription')}</h2>
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

/** The button that reverts a planned change of plan. Renders nothing until the payment methods have loaded. */
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
    // The change may already have been reverted elsewhere; the refetched user shows that.
    await refetchSubscription(queryClient)
  }
  return (
    <Button variant="quiet" disabled={busy} onClick={() => void revert()}>
      {t('shopping.keepPlan', { name: plan.name })}
    </Button>
  )
}
