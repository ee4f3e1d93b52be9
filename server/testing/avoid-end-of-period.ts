import { waitUntil } from './wait-until.ts'

/** Longer than a test takes on a busy machine. */
const marginMs = 30_000

/**
 * Waits until a period ends, if it ends within the next half minute. Periods are counted from 1970, so a day is a UTC
 * day. A test that counts by real time, such as plays per half hour, must not cross the end of a period.
 */
export function avoidEndOfPeriod(periodMs: number): Promise<void> {
  const remainingMs = () => periodMs - (Date.now() % periodMs)
  return waitUntil('a new period has begun', () => remainingMs() > marginMs, 2 * marginMs)
}
