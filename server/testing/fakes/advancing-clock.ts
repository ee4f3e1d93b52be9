import type { Clock } from '#server/platform/clock.ts'

/** A clock that is two seconds on each time it is asked: answers that are kept for a second are made anew. */
export function advancingClock(): Clock {
  let time = Date.now()
  return { now: () => new Date((time += 2000)) }
}
