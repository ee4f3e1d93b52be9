import { describe, expect, it } from 'vitest'
import {
  hasSampleRatioMismatch,
  mean,
  meanDifference,
  minimumSampleSize,
  proportion,
  differenceOfProportions,
  zForComparisons,
} from './statistics.ts'

/** Values printed in R. G. Newcombe, Statistics in Medicine 17 (1998), pages 857–890: method 3 and method 10. */
describe('intervals of proportions match the literature', () => {
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%d of %d', (hits, of, low, high) => {
    const found = proportion(hits, of)
    expect(found.value).toBe(hits / of)
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  })

  it.each([
    [48, 80, 56, 70, 0.0524, 0.3339],
    [3, 10, 9, 10, 0.1705, 0.809],
  ])('of the difference between %d of %d and %d of %d', (a, m, b, n, low, high) => {
    const found = differenceOfProportions({ hits: a, of: m }, { hits: b, of: n })
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
    expect(found.significant).toBe(true)
  })
})

it('estimates without exposures have the value zero and are not significant', () => {
  expect(proportion(0, 0)).toEqual({ value: 0, low: 0, high: 1 })
  expect(differenceOfProportions({ hits: 0, of: 0 }, { hits: 1, of: 1 }).significant).toBe(false)
  expect(mean({ total: 0, sumOfSquares: 0, count: 0 })).toEqual({ value: 0, low: 0, high: 0 })
})

it('a mean has the standard error of its amounts, including zeros', () => {
  // The amounts are 2, 4, 4, 4, 5, 5, 7, 9. Their mean is 5, their variance 32/7.
  const found = mean({ total: 40, sumOfSquares: 232, count: 8 })
  const error = Math.sqrt(32 / 7 / 8)
  expect(found.value).toBe(5)
  expect(found.low).toBeCloseTo(5 - 1.959964 * error, 9)
  expect(found.high).toBeCloseTo(5 + 1.959964 * error, 9)
})

it('a difference of means is significant if its interval excludes zero', () => {
  const often = { total: 10_000, sumOfSquares: 1_000_000, count: 1000 }
  const rarer = { total: 5_000, sumOfSquares: 500_000, count: 1000 }
  const found = meanDifference(often, rarer)
  const error = Math.sqrt((1_000_000 - 100_000) / 999 / 1000 + (500_000 - 25_000) / 999 / 1000)
  expect(found.value).toBe(-5)
  expect(found.high).toBeCloseTo(-5 + 1.959964 * error, 9)
  expect(found.significant).toBe(true)
  expect(meanDifference(often, { ...often, total: 9_900 }).significant).toBe(false)
})

it('intervals are wider for more comparisons, so that the joint confidence is the same', () => {
  expect([zForComparisons(1), zForComparisons(2), zForComparisons(3)]).toEqual([1.959964, 2.241403, 2.39398])
})

it('a sample ratio mismatch is detected at a significance of one in a thousand', () => {
  // Chi-squared is 3.92 and 15.4; the critical value for one in a thousand is 10.83.
  expect(hasSampleRatioMismatch([5000, 5200], [50, 50])).toBe(false)
  expect(hasSampleRatioMismatch([5000, 5400], [50, 50])).toBe(true)
  expect(hasSampleRatioMismatch([800, 100, 100], [80, 10, 10])).toBe(false)
  expect(hasSampleRatioMismatch([800, 100, 160], [80, 10, 10])).toBe(true)
  expect(hasSampleRatioMismatch([0, 0], [50, 50])).toBe(false)
})

it('the required sample size grows as the conversion rate falls', () => {
  expect(minimumSampleSize({ buyers: 3, exposed: 1000 })).toBe(7600)
  expect(minimumSampleSize({ buyers: 100, exposed: 1000 })).toBe(3600)
  expect(minimumSampleSize({ buyers: 100, exposed: 10_000 })).toBe(39_600)
  expect(minimumSampleSize({ buyers: 95, exposed: 100 })).toBe(100)
})
