import { dayMs } from '#server/platform/clock.ts'

/** The lengths of the runs of days that are summed up, the longest first. Each holds runs of the next as a whole. */
export const runLengths = [16, 4, 1] as const

/** A run of UTC days. Runs of a length begin at its multiples, counted from the beginning of 2000. */
export interface Run {
  days: number
  first_day: string
}

const epoch = Date.UTC(2000, 0, 1)

/** A span of whole UTC days: from its first, up to but without `to`. */
export interface DaySpan {
  from: Date
  to: Date
}

/** The `days` UTC days up to the one that `until` lies in. */
export function spanUntil(until: Date, days: number): DaySpan {
  const to = (Math.floor(until.getTime() / dayMs) + 1) * dayMs
  return { from: new Date(to - days * dayMs), to: new Date(to) }
}

export const dayName = (at: Date): string => at.toISOString().slice(0, 10)

/** The fewest runs that make up a span: 92 days are 17 at most. */
export function runsOf({ from, to }: DaySpan): Run[] {
  const runs: Run[] = []
  const end = (to.getTime() - epoch) / dayMs
  for (let day = (from.getTime() - epoch) / dayMs; day < end;) {
    const first = day
    const days = runLengths.find((length) => first % length === 0 && first + length <= end) ?? 1
    runs.push({ days, first_day: dayName(new Date(epoch + first * dayMs)) })
    day += days
  }
  return runs
}
