import { describe, expect, test } from 'vitest'
import { followingPeriod, graceEnd, gracePeriodMs, nextRetry, reminderTime } from './dunning-schedule.ts'

const hour = 3_600_000
const day = 24 * hour
const end = new Date('2026-03-01T12:00:00Z')
const after = (milliseconds: number, from = end) => new Date(from.getTime() + milliseconds)

test.each([
  { periodDays: 1, grace: 12 * hour },
  { periodDays: 4, grace: 2 * day },
  { periodDays: 6, grace: 3 * day },
  { periodDays: 7, grace: 3 * day },
  { periodDays: 365, grace: 3 * day },
])(
  'the grace of a period of $periodDays days is half the period, but at most three days',
  ({ periodDays, grace }) => {
    expect(gracePeriodMs(periodDays)).toBe(grace)
    expect(graceEnd(end, periodDays)).toEqual(after(grace))
  },
)

describe('the retries of a failed renewal', () => {
  test.each([
    { periodDays: 7, tries: [0, day, 3 * day] },
    { periodDays: 1, tries: [0, 4 * hour, 12 * hour] },
  ])(
    'are at the start of the grace, after a third of it and at its end, for a period of $periodDays days',
    ({ periodDays, tries }) => {
      const graceEndsAt = graceEnd(end, periodDays)
      const planned: (Date | null)[] = []
      for (
        let at = nextRetry(graceEndsAt, periodDays, after(-1));
        at;
        at = nextRetry(graceEndsAt, periodDays, at)
      )
        planned.push(at)
      expect(planned).toEqual(tries.map((wait) => after(wait)))
    },
  )

  test('are never after the end of the grace', () => {
    const graceEndsAt = graceEnd(end, 7)
    expect(nextRetry(graceEndsAt, 7, after(-1, graceEndsAt))).toEqual(graceEndsAt)
    expect(nextRetry(graceEndsAt, 7, graceEndsAt)).toBeNull()
  })
})

describe('a reminder of the next charge', () => {
  const remind = (days: number, introductory: boolean) =>
    reminderTime({ startsAt: end, endsAt: after(days * day) }, { introductory, periodDays: days })

  test('is due seven days before a yearly plan renews', () => {
    expect(remind(365, false)).toEqual(after(358 * day))
    expect(remind(366, false)).toEqual(after(359 * day))
  })

  test('is due seven days before an introductory price ends, or immediately if the period is shorter', () => {
    expect(remind(30, true)).toEqual(after(23 * day))
    expect(remind(7, true)).toEqual(end)
    expect(remind(3, true)).toEqual(end)
  })

  test('is not sent for other charges', () => {
    expect(remind(364, false)).toBeNull()
    expect(remind(30, false)).toBeNull()
  })
})

describe('the period that a payment buys', () => {
  const lengths = { oldDays: 7, newDays: 30 }

  test('starts at the end of the old period if the payment succeeded within the grace', () => {
    const expected = { startsAt: end, endsAt: after(30 * day) }
    expect(followingPeriod(end, lengths, after(-day))).toEqual(expected)
    expect(followingPeriod(end, lengths, after(3 * day))).toEqual(expected)
  })

  test('starts at the time of the payment if the payment succeeded after the grace', () => {
    const late = after(3 * day + 1)
    expect(followingPeriod(end, lengths, late)).toEqual({ startsAt: late, endsAt: after(30 * day, late) })
  })

  test('is computed with the grace of the old period length, not of the new one', () => {
    const paid = after(day)
    const [oldDays, newDays] = [1, 30]
    expect(followingPeriod(end, { oldDays, newDays }, paid).startsAt).toEqual(paid)
  })
})
