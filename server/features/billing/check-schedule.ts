const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** When an open payment is looked up: quick tries, then 5 min, 1 h, 5 × 1 day (billing.md, "Crash safety"). */
const delays = [10 * second, 20 * second, minute, 5 * minute, 60 * minute, day, day, day, day, day]

/** A request that the gateway still does not know after this long will not arrive any more. */
const arrivesWithinMs = 60 * minute

/** When to look next, after `checks` looks; null where that was the last. */
export function nextCheck(checks: number, now: Date): Date | null {
  const delay = delays[checks]
  return delay === undefined ? null : new Date(now.getTime() + delay)
}

/** Whether a payment that the gateway has never heard of can be given up. */
export function isLost(startedAt: Date, now: Date): boolean {
  return now.getTime() - startedAt.getTime() >= arrivesWithinMs
}
