const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** The delays between polls of an open payment: short ones first, then 5 minutes, 1 hour, and five times 1 day. */
const delays = [10 * second, 20 * second, minute, 5 * minute, 60 * minute, day, day, day, day, day]

/**
 * The default time within which a gateway finds every payment that it received. A gateway's `lookupLagMs` overrides it.
 */
const arrivesWithinMs = 60 * minute

/** Returns the time of the next poll after `polls` polls, or null after the last poll. */
export function nextPoll(polls: number, now: Date): Date | null {
  const delay = delays[polls]
  return delay === undefined ? null : new Date(now.getTime() + delay)
}

/** Returns the time after which a payment counts as lost if its gateway does not know it. */
export function arrivalDeadline(startedAt: Date, withinMs = arrivesWithinMs): Date {
  return new Date(startedAt.getTime() + withinMs)
}
