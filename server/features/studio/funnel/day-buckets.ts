import { dayMs } from '#server/platform/clock.ts'
import { formatUtcDay, type DaySpan } from '#server/platform/utc-days.ts'

/** Lengths in days of the buckets that are aggregated, longest first. Each length is a multiple of the next. */
export const bucketLengths = [16, 4, 1] as const

/** A bucket of consecutive UTC days. Its first day is a multiple of `days`, counted from 2000-01-01. */
export interface DayBucket {
  days: number
  first_day: string
}

const epoch = Date.UTC(2000, 0, 1)

/** Returns the smallest number of buckets that cover a span exactly. A span of up to 92 days has at most 15. */
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
