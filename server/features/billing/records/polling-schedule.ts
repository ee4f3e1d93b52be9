const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** When an open payment is looked up: quick tries, then 5 min, 1 h, 5 × 1 day (billing.md, "Crash safety"). */
const delays = [10 * second, 20 * second, minute, 5 * minute, 60 * minute, day, day, day, day, day]

/** How long a request may be on its way, where a gateway says nothing else. */
const arrivesWithinMs = 60 * minute

/** When to look next, after `checks` looks; null where that was the last. */
export function nextPoll(checks: number, now: Date): Date | null {
  const delay = delays[checks]
  return delay === undefined ? null : new Date(now.getTime() + delay)
}

/** From when on a payment that its gateway does not know will not arrive any more, and can be given up. */
export function whenLost(startedAt: Date, withinMs = arrivesWithinMs): Date {
  return new Date(startedAt.getTime() + withinMs)
}
