import { graceEnd } from './dunning-schedule.ts'
import type { SubscriptionStatus } from '#server/features/billing/tables.ts'

/** The columns that determine until when a subscription is active. */
export interface SubscriptionState {
  status: SubscriptionStatus
  period_ends_at: Date | null
  period_days: number
  grace_ends_at: Date | null
  cancel_at_period_end: boolean
  /** The gateway of its payment method, or null if it has none. */
  gateway: string | null
  method_detached_at: Date | null
}

/**
 * Returns until when a subscription is active. Entitlements, membership, checkout and studio all use this definition.
 * If the subscription will renew or is past due, the end includes the grace period. Otherwise it is the end of the paid
 * period. The result does not depend on whether a job has already recorded the end.
 * @returns null if the status is neither `active` nor `past_due`
 */
export function activeUntil(subscription: SubscriptionState): Date | null {
  const { status, period_ends_at: end, period_days, grace_ends_at } = subscription
  if (end === null || (status !== 'active' && status !== 'past_due')) return null
  if (grace_ends_at !== null && status === 'past_due') return grace_ends_at
  return willRenew(subscription) || status === 'past_due' ? graceEnd(end, period_days) : end
}

/**
 * Returns whether a subscription is expected to renew: it is charged at the end of its period, or its user is asked for
 * another method.
 */
function willRenew({
  cancel_at_period_end: cancelled,
  gateway,
  method_detached_at,
}: SubscriptionState): boolean {
  return !cancelled && (gateway !== null || method_detached_at !== null)
}
