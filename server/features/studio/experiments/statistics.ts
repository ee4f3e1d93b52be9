import type { Difference, Estimate } from '#contract/studio/experiments.ts'

/** Standard errors of a 95 % interval. */
const usualZ = 1.959964

/**
 * Standard errors of a joint 95 % interval for one, two or three comparisons (Bonferroni): with three variants, a misleading result
 * is three times as likely.
 */
const comparingZ = [usualZ, 2.241403, 2.39398]

export const zFor = (comparisons: number): number => comparingZ[comparisons - 1] ?? usualZ

/** Estimates a proportion with Wilson's score interval, which is valid for few buyers too. */
export function proportion(hits: number, of: number, z = usualZ): Estimate {
  if (of === 0) return { value: 0, low: 0, high: 1 }
  const value = hits / of
  const spread = z * Math.sqrt((value * (1 - value)) / of + z ** 2 / (4 * of ** 2))
  const middle = value + z ** 2 / (2 * of)
  const whole = 1 + z ** 2 / of
  return {
    value,
    low: hits === 0 ? 0 : (middle - spread) / whole,
    high: hits === of ? 1 : (middle + spread) / whole,
  }
}

/** Estimates the difference of two proportions, second minus first, with Newcombe's interval of two Wilson intervals. */
export function proportionDifference(
  first: { hits: number; of: number },
  second: { hits: number; of: number },
  z = usualZ,
): Difference {
  const [a, b] = [proportion(first.hits, first.of, z), proportion(second.hits, second.of, z)]
  const value = b.value - a.value
  return judged({
    value,
    low: value - Math.hypot(b.value - b.low, a.high - a.value),
    high: value + Math.hypot(b.high - b.value, a.value - a.low),
  })
}

/** Amounts of `of` viewers: their sum and the sum of their squares. */
export interface Amounts {
  sum: number
  squares: number
  of: number
}

/** Estimates the mean amount per viewer. */
export function mean(amounts: Amounts, z = usualZ): Estimate {
  const { value, error } = momentsOf(amounts)
  return { value, low: value - z * error, high: value + z * error }
}

/** Estimates the difference of mean amounts, second minus first, with unequal variances (Welch). */
export function meanDifference(first: Amounts, second: Amounts, z = usualZ): Difference {
  const [a, b] = [momentsOf(first), momentsOf(second)]
  const value = b.value - a.value
  const error = Math.hypot(a.error, b.error)
  return judged({ value, low: value - z * error, high: value + z * error })
}

function momentsOf({ sum, squares, of }: Amounts): { value: number; error: number } {
  if (of === 0) return { value: 0, error: 0 }
  const value = sum / of
  const variance = of > 1 ? Math.max(0, (squares - of * value ** 2) / (of - 1)) : 0
  return { value, error: Math.sqrt(variance / of) }
}

const judged = (estimate: Estimate): Difference => ({
  ...estimate,
  clear: estimate.low > 0 || estimate.high < 0,
})

/** Critical values of chi-squared for one in a thousand, by degrees of freedom from one. */
const rarely = [10.828, 13.816, 16.266]

/**
 * Tests for sample ratio mismatch: whether such uneven counts would arise from these shares less than once in a thousand. If so,
 * viewers are counted wrongly.
 */
export function isUneven(counts: readonly number[], shares: readonly number[]): boolean {
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all === 0) return false
  const expected = shares.map((share) => (all * share) / 100)
  const squared = counts.map((count, index) => (count - (expected[index] ?? 0)) ** 2 / (expected[index] ?? 1))
  return squared.reduce((sum, each) => sum + each, 0) > (rarely[counts.length - 2] ?? Infinity)
}

/** Minimum number of buyers for a known conversion rate. */
const fewBuyers = 20
const usualConversion = 0.05

/**
 * Returns the sample size of each variant to detect a fifth more or fewer buyers with a power of 80 % (Lehr's rule), at the
 * conversion rate so far.
 */
export function minimumPerVariant({ buyers, exposed }: { buyers: number; exposed: number }): number {
  const share = buyers < fewBuyers ? usualConversion : buyers / exposed
  const needed = Math.round((16 * 5 ** 2 * (1 - share)) / share)
  return Math.max(100, Math.ceil(needed / 100) * 100)
}
