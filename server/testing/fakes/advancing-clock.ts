import type { Clock } from '#server/platform/clock.ts'

/** A clock that advances two seconds at each read, so that answers cached for a second are loaded again. */
export function advancingClock(): Clock {
  let time = Date.now()
  return { now: () => new Date((time += 2000)) }
}
