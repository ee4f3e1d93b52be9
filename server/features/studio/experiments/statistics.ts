import type { Difference, Estimate } from '#contract/studio/experiments.ts'

/** Half-width of a 95 % confidence interval, in standard errors. */
const defaultZ = 1.959964

/**
 * Half-widths, in standard errors, for a joint confidence of 95 % over one, two or three comparisons (Bonferroni).
 * Without this correction, a false result would be about three times as likely with three comparisons.
 */
const bonferroniZ = [defaultZ, 2.241403, 2.39398]

export const zForComparisons = (comparisons: number): number => bonferroniZ[comparisons - 1] ?? defaultZ

/** Estimates a proportion with Wilson's score interval, which is also valid for few buyers. */
export function proportion(hits: number, total: number, z = defaultZ): Estimate {
  if (total === 0) return { value: 0, low: 0, high: 1 }
  const value = hits / total
  const spread = z * Math.sqrt((value * (1 - value)) / total + z ** 2 / (4 * total ** 2))
  const middle = value + z ** 2 / (2 * total)
  const whole = 1 + z ** 2 / total
  return {
    value,
    low: hits === 0 ? 0 : (middle - spread) / whole,
    high: hits === total ? 1 : (middle + spread) / whole,
  }
}

/**
 * Estimates the difference of two proportions (second minus first) with Newcombe's interval, which combines two Wilson
 * intervals.
 */
export function differenceOfProportions(
  first: { hits: number; of: number },
  second: { hits: number; of: number },
  z = defaultZ,
): Difference {
  const [a, b] = [proportion(first.hits, first.of, z), proportion(second.hits, second.of, z)]
  const value = b.value - a.value
  return withSignificance({
    value,
    low: value - Math.hypot(b.value - b.low, a.high - a.value),
    high: value + Math.hypot(b.high - b.value, a.value - a.low),
  })
}

/** The amounts of `count` viewers: their sum, and the sum of their squares. */
export interface Amounts {
  total: number
  sumOfSquares: number
  count: number
}

/** Estimates the mean amount per viewer, with its confidence interval. */
export function mean(amounts: Amounts, z = defaultZ): Estimate {
  const { value, error } = meanAndError(amounts)
  return { value, low: value - z * error, high: value + z * error }
}

/** Estimates the difference of two mean amounts (second minus first), with unequal variances (Welch). */
export function meanDifference(first: Amounts, second: Amounts, z = defaultZ): Difference {
  const [a, b] = [meanAndError(first), meanAndError(second)]
  const value = b.value - a.value
  const error = Math.hypot(a.error, b.error)
  return withSignificance({ value, low: value - z * error, high: value + z * error })
}

function meanAndError({ total, sumOfSquares, count }: Amounts): {
  value: number
  error: number
} {
  if (count === 0) return { value: 0, error: 0 }
  const value = total / count
  const variance = count > 1 ? Math.max(0, (sumOfSquares - count * value ** 2) / (count - 1)) : 0
  return { value, error: Math.sqrt(variance / count) }
}

const withSignificance = (estimate: Estimate): Difference => ({
  ...estimate,
  significant: estimate.low > 0 || estimate.high < 0,
})

/** Critical values of the chi-squared distribution at p = 0.001, for one, two and three degrees of freedom. */
const chiSquaredCritical = [10.828, 13.816, 16.266]

/**
 * Tests for a sample ratio mismatch. The counts are a mismatch if chance gives such uneven counts in fewer than one of
 * a thousand experiments. Then viewers are probably assigned or counted wrongly.
 */
export function hasSampleRatioMismatch(counts: readonly number[], shares: readonly number[]): boolean {
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all === 0) return false
  const expected = shares.map((share) => (all * share) / 100)
  const squared = counts.map((count, index) => (count - (expected[index] ?? 0)) ** 2 / (expected[index] ?? 1))
  return squared.reduce((sum, each) => sum + each, 0) > (chiSquaredCritical[counts.length - 2] ?? Infinity)
}

/**
 * Minimum number of buyers from which the conversion rate is estimated. With fewer buyers, `defaultConversion` is used.
 */
const minBuyersForRate = 20
const defaultConversion = 0.05

/**
 * Returns the sample size that each variant needs at the conversion rate so far. A sample of this size detects 20 %
 * more or fewer buyers with a power of 80 % (Lehr's rule).
 */
export function minimumSampleSize({ buyers, exposed }: { buyers: number; exposed: number }): number {
  const share = buyers < minBuyersForRate ? defaultConversion : buyers / exposed
  const needed = Math.round((16 * 5 ** 2 * (1 - share)) / share)
  return Math.max(100, Math.ceil(needed / 100) * 100)
}
