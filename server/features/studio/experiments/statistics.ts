import type { Difference, Estimate } from '#contract/studio/experiments.ts'

/** How many standard errors hold 95 %. */
const usualZ = 1.959964

/**
 * The same for one, two or three comparisons that are to hold together (Bonferroni): who looks at three variants is three times
 * as likely to be misled by one.
 */
const comparingZ = [usualZ, 2.241403, 2.39398]

export const zFor = (comparisons: number): number => comparingZ[comparisons - 1] ?? usualZ

/** A share with its interval by Wilson's score, which holds with few buyers too. */
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

/** How much larger the second share is than the first, by Newcombe's interval of two of Wilson's. */
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

/** Amounts of `of` viewers, by their sum and the sum of their squares. */
export interface Amounts {
  sum: number
  squares: number
  of: number
}

/** What each viewer brought on average. */
export function mean(amounts: Amounts, z = usualZ): Estimate {
  const { value, error } = momentsOf(amounts)
  return { value, low: value - z * error, high: value + z * error }
}

/** How much more each viewer of the second brought; the two may be spread differently (Welch). */
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

/** What chi-squared passes once in a thousand, by degrees of freedom from one on. */
const rarely = [10.828, 13.816, 16.266]

/** Whether so uneven counts would come of these shares less than once in a thousand: then viewers are counted wrongly. */
export function isUneven(counts: readonly number[], shares: readonly number[]): boolean {
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all === 0) return false
  const expected = shares.map((share) => (all * share) / 100)
  const squared = counts.map((count, index) => (count - (expected[index] ?? 0)) ** 2 / (expected[index] ?? 1))
  return squared.reduce((sum, each) => sum + each, 0) > (rarely[counts.length - 2] ?? Infinity)
}

/** With fewer buyers the conversion rate is unknown. */
const fewBuyers = 20
const usualConversion = 0.05

/**
 * How many viewers each variant needs so that a fifth more or fewer buyers is seen four times out of five (Lehr's rule): as many as
 * the conversion so far asks for.
 */
export function minimumPerVariant({ buyers, exposed }: { buyers: number; exposed: number }): number {
  const share = buyers < fewBuyers ? usualConversion : buyers / exposed
  const needed = Math.round((16 * 5 ** 2 * (1 - share)) / share)
  return Math.max(100, Math.ceil(needed / 100) * 100)
}
