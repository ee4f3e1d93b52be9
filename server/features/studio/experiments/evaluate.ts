import type { Variant, VariantResult, ExperimentResult } from '#contract/studio/experiments.ts'
import type { VariantSales } from '#server/features/billing/billing.ts'
import {
  isUneven,
  mean,
  meanDifference,
  minimumPerVariant,
  proportion,
  proportionDifference,
  zFor,
  type Amounts,
} from './statistics.ts'

/** Evaluates an experiment's results so far, with their uncertainty. Each variant is compared with the first. */
export function evaluate(
  variants: readonly Variant[],
  sales: readonly VariantSales[],
): Omit<ExperimentResult, 'experiment' | 'warnings' | 'counted_at'> {
  const sold = variants.map(
    (_, variant) =>
      sales.find((each) => each.variant === variant) ?? { variant, exposed: 0, buyers: 0, revenue: [] },
  )
  const currencies = [...new Set(sold.flatMap(({ revenue }) => revenue.map(({ currency }) => currency)))]
  const [first, ...others] = sold
  if (!first) return { variants: [], minimum: 0, is_early: true, is_uneven: false }
  const z = zFor(others.length)
  const all = {
    buyers: sold.reduce((sum, { buyers }) => sum + buyers, 0),
    exposed: sold.reduce((sum, { exposed }) => sum + exposed, 0),
  }
  const minimum = minimumPerVariant(all)
  return {
    variants: sold.map((each) =>
      resultOf(each, each === first ? undefined : first, currencies.toSorted(), z),
    ),
    minimum,
    is_early: sold.some(({ exposed }) => exposed < minimum),
    is_uneven: isUneven(
      sold.map(({ exposed }) => exposed),
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
  const shareOf = ({ buyers, exposed }: VariantSales) => ({ hits: buyers, of: exposed })
  return {
    exposed: variant.exposed,
    buyers: variant.buyers,
    conversion: proportion(variant.buyers, variant.exposed),
    conversion_difference: first ? proportionDifference(shareOf(first), shareOf(variant), z) : null,
    revenue: currencies.map((currency) => {
      const amounts = amountsOf(variant, currency)
      return {
        currency,
        net_cents: amounts.sum,
        per_viewer: mean(amounts),
        difference: first ? meanDifference(amountsOf(first, currency), amounts, z) : null,
      }
    }),
  }
}

/** Returns the amounts of all exposed viewers; those who bought nothing count as zero. */
function amountsOf({ revenue, exposed }: VariantSales, currency: string): Amounts {
  const sums = revenue.find((each) => each.currency === currency)
  return { sum: sums?.net_cents ?? 0, squares: sums?.squares ?? 0, of: exposed }
}
