import { dayMs } from '#server/platform/clock.ts'

const longestGraceMs = 3 * dayMs

/** How long a subscription of so many days stays while it cannot be charged: g = min(3 days, N/2) (billing.md, "States"). */
export function graceOf(periodDays: number): number {
  return Math.min(longestGraceMs, (periodDays * dayMs) / 2)
}

export const graceEnd = (periodEnd: Date, periodDays: number): Date =>
  new Date(periodEnd.getTime() + graceOf(periodDays))

/** Tries at the beginning of the grace, after a third of it and at its end. @returns the first after `now`, or null */
export function nextTry(graceEndsAt: Date, periodDays: number, now: Date): Date | null {
  const grace = graceOf(periodDays)
  const tries = [grace, (grace * 2) / 3, 0].map((left) => new Date(graceEndsAt.getTime() - left))
  return tries.find((at) => at > now) ?? null
}

const remindMs = 7 * dayMs
const yearDays = 365

/**
 * When to remind of the next charge: 7 days before an introductory price ends or a yearly plan renews (billing.md, "What a
 * viewer is owed"), at once where the period is shorter; null for never.
 */
export function reminderFor(
  { startsAt, endsAt }: Period,
  { introductory, periodDays }: { introductory: boolean; periodDays: number },
): Date | null {
  if (!introductory && periodDays < yearDays) return null
  return new Date(Math.max(startsAt.getTime(), endsAt.getTime() - remindMs))
}

interface Period {
  startsAt: Date
  endsAt: Date
}

/**
 * The period that a payment begins: from the old end where it came within the grace, else from now; periods that were
 * missed are never charged (billing.md, "States").
 */
export function followingPeriod(
  oldEnd: Date,
  { oldDays, newDays }: { oldDays: number; newDays: number },
  now: Date,
): Period {
  const startsAt = now <= graceEnd(oldEnd, oldDays) ? oldEnd : now
  return { startsAt, endsAt: new Date(startsAt.getTime() + newDays * dayMs) }
}
