import { dayMs } from '#server/platform/clock.ts'
import { formatUtcDay, type DaySpan } from '#server/platform/utc-days.ts'

/** Lengths of the runs of days that are aggregated, longest first. Each contains whole runs of the next. */
export const bucketLengths = [16, 4, 1] as const

/** A run of UTC days. Runs of a length begin at its multiples, counted from the beginning of 2000. */
export interface DayBucket {
  days: number
  first_day: string
}

const epoch = Date.UTC(2000, 0, 1)

/** Returns the fewest runs that compose a span: 92 days are 17 at most. */
export function splitIntoBuckets({ from, to }: DaySpan): DayBucket[] {
  const buckets: DayBucket[] = []
  const end = (to.getTime() - epoch) / dayMs
  for (let day = (from.getTime() - epoch) / dayMs; day < end;) {
    const first = day
    const days = bucketLengths.find((length) => first % length === 0 && first + length <= end) ?? 1
    buckets.push({ days, first_day: formatUtcDay(new Date(epoch + first * dayMs)) })
    day += days
  }
  return buckets
}
