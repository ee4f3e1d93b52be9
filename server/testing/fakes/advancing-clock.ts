import type { Clock } from '#server/platform/clock.ts'

/**
 * Returns a clock that advances by two seconds each time it is read. Responses that are cached for a second are then
 * loaded again.
 */
export function advancingClock(): Clock {
  let time = Date.now()
  return { now: () => new Date((time += 2000)) }
}
