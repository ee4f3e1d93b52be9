import { graceEnd } from './dunning-schedule.ts'
import type { SubscriptionStatus } from '#server/features/billing/tables.ts'

/** What decides whether a subscription is live. */
export interface Standing {
  status: SubscriptionStatus
  period_ends_at: Date | null
  period_days: number
  grace_ends_at: Date | null
  cancel_at_period_end: boolean
  /** Of the method that it is charged with; null where there is none. */
  gateway: string | null
  method_detached_at: Date | null
}

/**
 * Until when a subscription is live: the one meaning for rights, membership, checkout and studio. It lasts through its grace
 * where it is to be renewed, else to the end of the paid period, whatever its gateway does and whether or not a job has noted the end.
 * @returns null for one that never was live, or is over
 */
export function activeUntil(standing: Standing): Date | null {
  const { status, period_ends_at: end, period_days, grace_ends_at } = standing
  if (end === null || (status !== 'active' && status !== 'past_due')) return null
  if (grace_ends_at !== null && status === 'past_due') return grace_ends_at
  return renews(standing) || status === 'past_due' ? graceEnd(end, period_days) : end
}

/** Whether it is charged at the end of its period, or its person is asked for another method then. */
function renews({ cancel_at_period_end: cancelled, gateway, method_detached_at }: Standing): boolean {
  return !cancelled && (gateway !== null || method_detached_at !== null)
}
