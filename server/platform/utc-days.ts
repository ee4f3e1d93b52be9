import { dayMs, hourMs } from './clock.ts'

/** A span of whole UTC days from `from` (included) to `to` (excluded). */
export interface DaySpan {
  from: Date
  to: Date
}

/**
 * Returns the span of `days` UTC days that ends with the day of `until`. UTC has no daylight saving time, so all days
 * have the same length.
 */
export function daySpanUntil(until: Date, days: number): DaySpan {
  const to = (Math.floor(until.getTime() / dayMs) + 1) * dayMs
  return { from: new Date(to - days * dayMs), to: new Date(to) }
}

/** Splits a span into hours: a statement that reads the events of a busy day at once could exceed its time-out. */
export function hoursOf({ from, to }: DaySpan): { from: Date; to: Date }[] {
  const count = (to.getTime() - from.getTime()) / hourMs
  const start = (hour: number) => new Date(from.getTime() + hour * hourMs)
  return Array.from({ length: count }, (_, hour) => ({ from: start(hour), to: start(hour + 1) }))
}

/** Returns the UTC day of a time, such as 2026-11-22, the same in every process. */
export function formatUtcDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}
