import { expect, it } from 'vitest'
import { formatUtcDay, daySpanUntil } from '#server/platform/utc-days.ts'
import { splitIntoBuckets } from './day-buckets.ts'

const day = 86_400_000

it('a span of up to 92 days is split into at most 15 buckets, which contain each day once', () => {
  for (let shift = 0; shift < 32; shift++)
    for (const days of [1, 2, 7, 30, 92]) {
      const span = daySpanUntil(new Date(Date.UTC(2026, 0, 1 + shift, 23, 59)), days)
      const buckets = splitIntoBuckets(span)
      const stored = buckets.flatMap((bucket) =>
        Array.from({ length: bucket.days }, (_, index) =>
          formatUtcDay(new Date(Date.parse(bucket.first_day) + index * day)),
        ),
      )
      const expected = Array.from({ length: days }, (_, index) =>
        formatUtcDay(new Date(span.from.getTime() + index * day)),
      )
      expect(stored).toEqual(expected)
      expect(buckets.length).toBeLessThanOrEqual(15)
    }
})

it('a span ends with the UTC day of the given time', () => {
  const { from, to } = daySpanUntil(new Date('2026-11-22T23:30:00-02:00'), 1)
  expect([from.toISOString(), to.toISOString()]).toEqual([
    '2026-11-23T00:00:00.000Z',
    '2026-11-24T00:00:00.000Z',
  ])
})
