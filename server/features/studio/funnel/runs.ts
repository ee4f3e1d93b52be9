import { dayMs } from '#server/platform/clock.ts'
import { dayName, type DaySpan } from '#server/platform/utc-days.ts'

/** Lengths of the runs of days that are aggregated, longest first. Each contains whole runs of the next. */
export const runLengths = [16, 4, 1] as const

/** A run of UTC days. Runs of a length begin at its multiples, counted from the beginning of 2000. */
export interface Run {
  days: number
  first_day: string
}

const epoch = Date.UTC(2000, 0, 1)

/** Returns the fewest runs that compose a span: 92 days are 17 at most. */
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
