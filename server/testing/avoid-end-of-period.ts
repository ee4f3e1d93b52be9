import { waitUntil } from './wait-until.ts'

/**
 * Waits until a period ends, if it ends within the margin. Periods are counted from 1970, so a day is a UTC day. A test
 * that counts by real time, such as plays per half hour, must not cross the end of a period.
 * @param marginMs longer than the test takes on a busy machine
 */
export function avoidEndOfPeriod(periodMs: number, marginMs = 30_000): Promise<void> {
  const remainingMs = () => periodMs - (Date.now() % periodMs)
  return waitUntil('a new period has begun', () => remainingMs() > marginMs, 2 * marginMs)
}
