import { dayMs } from '#server/platform/clock.ts'

const maxGraceMs = 3 * dayMs

/** Returns the grace period of an unpaid renewal: the smaller of 3 days and half the period. */
export function gracePeriodMs(periodDays: number): number {
  return Math.min(maxGraceMs, (periodDays * dayMs) / 2)
}

export const graceEnd = (periodEnd: Date, periodDays: number): Date =>
  new Date(periodEnd.getTime() + gracePeriodMs(periodDays))

/**
 * Returns the next retry of a failed renewal. Retries are scheduled at the start of the grace period, after a third of
 * it and at its end.
 * @returns the first retry after `now`, or null if there is none
 */
export function nextRetry(graceEndsAt: Date, periodDays: number, now: Date): Date | null {
  const grace = gracePeriodMs(periodDays)
  const retries = [grace, (grace * 2) / 3, 0].map(
    (beforeEndMs) => new Date(graceEndsAt.getTime() - beforeEndMs),
  )
  return retries.find((at) => at > now) ?? null
}

const reminderLeadMs = 7 * dayMs
const yearDays = 365

/**
 * Returns when to remind the user of the next charge: 7 days before an introductory price ends or a yearly plan renews,
 * but not before the period starts. Returns null for other charges.
 */
export function reminderTime(
  { startsAt, endsAt }: Period,
  { introductory, periodDays }: { introductory: boolean; periodDays: number },
): Date | null {
  if (!introductory && periodDays < yearDays) return null
  return new Date(Math.max(startsAt.getTime(), endsAt.getTime() - reminderLeadMs))
}

interface Period {
  startsAt: Date
  endsAt: Date
}

/**
 * Returns the period that a renewal payment buys. It starts at the end of the old period if the payment succeeds within
 * the grace period. Otherwise it starts now, so that the time without access is not charged.
 */
export function followingPeriod(
  oldEnd: Date,
  { oldDays, newDays }: { oldDays: number; newDays: number },
  now: Date,
): Period {
  const startsAt = now <= graceEnd(oldEnd, oldDays) ? oldEnd : now
  return { startsAt, endsAt: new Date(startsAt.getTime() + newDays * dayMs) }
}
