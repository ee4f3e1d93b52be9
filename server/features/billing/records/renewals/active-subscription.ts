import { graceEnd } from './dunning-schedule.ts'
import type { SubscriptionStatus } from '#server/features/billing/tables.ts'

/** The columns that decide whether a subscription is active. */
export interface SubscriptionState {
  status: SubscriptionStatus
  period_ends_at: Date | null
  period_days: number
  grace_ends_at: Date | null
  cancel_at_period_end: boolean
  /** The gateway of its payment method; null if it has none. */
  gateway: string | null
  method_detached_at: Date | null
}

/**
 * Returns the end of an active subscription; the only definition, for rights, membership, checkout and studio. It includes the
 * grace period if the subscription is to renew; otherwise it is the end of the paid period. It does not depend on the gateway's
 * state or on whether a job has recorded the end.
 * @returns null for one that was never active, or is over
 */
export function activeUntil(subscription: SubscriptionState): Date | null {
  const { status, period_ends_at: end, period_days, grace_ends_at } = subscription
  if (end === null || (status !== 'active' && status !== 'past_due')) return null
  if (grace_ends_at !== null && status === 'past_due') return grace_ends_at
  return willRenew(subscription) || status === 'past_due' ? graceEnd(end, period_days) : end
}

/** Returns whether it is charged at the end of its period, or its user is asked for another method then. */
function willRenew({
  cancel_at_period_end: cancelled,
  gateway,
  method_detached_at,
}: SubscriptionState): boolean {
  return !cancelled && (gateway !== null || method_detached_at !== null)
}
