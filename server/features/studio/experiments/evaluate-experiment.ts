import type { Variant, VariantResult, ExperimentResult } from '#contract/studio/experiments.ts'
import type { VariantSales } from '#server/features/billing/billing.ts'
import {
  hasSampleRatioMismatch,
  mean,
  meanDifference,
  minimumSampleSize,
  proportion,
  differenceOfProportions,
  zForComparisons,
  type Amounts,
} from './statistics.ts'

/**
 * Evaluates an experiment's results so far, with confidence intervals. Each variant is compared with the control, which
 * is the first variant.
 */
export function evaluateExperiment(
  variants: readonly Variant[],
  sales: readonly VariantSales[],
): Omit<ExperimentResult, 'experiment' | 'warnings' | 'counted_at'> {
  const salesByVariant = variants.map(
    (_, variant) =>
      sales.find((each) => each.variant === variant) ?? { variant, exposed: 0, buyers: 0, revenue: [] },
  )
  const currencies = [
    ...new Set(salesByVariant.flatMap(({ revenue }) => revenue.map(({ currency }) => currency))),
  ]
  const [first, ...others] = salesByVariant
  if (!first)
    return { variants: [], min_viewers: 0, has_too_few_viewers: true, has_sample_ratio_mismatch: false }
  const z = zForComparisons(others.length)
  const totals = {
    buyers: salesByVariant.reduce((sum, { buyers }) => sum + buyers, 0),
    exposed: salesByVariant.reduce((sum, { exposed }) => sum + exposed, 0),
  }
  const minViewers = minimumSampleSize(totals)
  return {
    variants: salesByVariant.map((each) =>
      resultOf(each, each === first ? undefined : first, currencies.toSorted(), z),
    ),
    min_viewers: minViewers,
    has_too_few_viewers: salesByVariant.some(({ exposed }) => exposed < minViewers),
    has_sample_ratio_mismatch: hasSampleRatioMismatch(
      salesByVariant.map(({ exposed }) => exposed),
      variants.map(({ share }) => share),
    ),
  }
}

function resultOf(
  variant: VariantSales,
  first: VariantSales | undefined,
  currencies: readonly string[],
  z: number,
): VariantResult {
  const conversionOf = ({ buyers, exposed }: VariantSales) => ({ hits: buyers, of: exposed })
  return {
    exposed: variant.exposed,
    buyers: variant.buyers,
    conversion: proportion(variant.buyers, variant.exposed),
    conversion_difference: first
      ? differenceOfProportions(conversionOf(first), conversionOf(variant), z)
      : null,
    revenue: currencies.map((currency) => {
      const amounts = revenueAmounts(variant, currency)
      return {
        currency,
        net_cents: amounts.total,
        per_viewer: mean(amounts),
        difference: first ? meanDifference(revenueAmounts(first, currency), amounts, z) : null,
      }
    }),
  }
}

/** Returns the revenue of all exposed viewers in a currency. Viewers who bought nothing count as zero. */
function revenueAmounts({ revenue, exposed }: VariantSales, currency: string): Amounts {
  const sums = revenue.find((each) => each.currency === currency)
  return { total: sums?.net_cents ?? 0, sumOfSquares: sums?.squares ?? 0, count: exposed }
}
