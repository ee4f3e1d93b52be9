import { dayMs } from './clock.ts'

/** A span of whole UTC days: from its first, up to but without `to`. */
export interface DaySpan {
  from: Date
  to: Date
}

/** The `days` UTC days up to the one that `until` lies in. UTC has no daylight saving time, so all days have the same length. */
export function spanUntil(until: Date, days: number): DaySpan {
  const to = (Math.floor(until.getTime() / dayMs) + 1) * dayMs
  return { from: new Date(to - days * dayMs), to: new Date(to) }
}

/** The UTC day that a moment lies in, such as 2026-11-22: the same for every process. */
export function dayName(at: Date): string {
  return at.toISOString().slice(0, 10)
}
