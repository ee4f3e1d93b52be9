import type { Arm, VariantResult, ExperimentResult } from '#contract/studio/experiments.ts'
import type { ArmSales } from '#server/features/billing/billing.ts'
import {
  isUneven,
  mean,
  meanDifference,
  minimumPerArm,
  proportion,
  proportionDifference,
  zFor,
  type Amounts,
} from './statistics.ts'

/** What an experiment has shown so far, and how uncertain that is. Each arm is held against the first. */
export function evaluate(
  arms: readonly Arm[],
  sales: readonly ArmSales[],
): Omit<ExperimentResult, 'experiment' | 'warnings' | 'counted_at'> {
  const sold = arms.map(
    (_, arm) => sales.find((each) => each.arm === arm) ?? { arm, exposed: 0, buyers: 0, revenue: [] },
  )
  const currencies = [...new Set(sold.flatMap(({ revenue }) => revenue.map(({ currency }) => currency)))]
  const [first, ...others] = sold
  if (!first) return { arms: [], minimum: 0, is_early: true, is_uneven: false }
  const z = zFor(others.length)
  const all = {
    buyers: sold.reduce((sum, { buyers }) => sum + buyers, 0),
    exposed: sold.reduce((sum, { exposed }) => sum + exposed, 0),
  }
  const minimum = minimumPerArm(all)
  return {
    arms: sold.map((each) => resultOf(each, each === first ? undefined : first, currencies.toSorted(), z)),
    minimum,
    is_early: sold.some(({ exposed }) => exposed < minimum),
    is_uneven: isUneven(
      sold.map(({ exposed }) => exposed),
      arms.map(({ share }) => share),
    ),
  }
}

function resultOf(
  arm: ArmSales,
  first: ArmSales | undefined,
  currencies: readonly string[],
  z: number,
): VariantResult {
  const shareOf = ({ buyers, exposed }: ArmSales) => ({ hits: buyers, of: exposed })
  return {
    exposed: arm.exposed,
    buyers: arm.buyers,
    conversion: proportion(arm.buyers, arm.exposed),
    conversion_difference: first ? proportionDifference(shareOf(first), shareOf(arm), z) : null,
    revenue: currencies.map((currency) => {
      const amounts = amountsOf(arm, currency)
      return {
        currency,
        net_cents: amounts.sum,
        per_viewer: mean(amounts),
        difference: first ? meanDifference(amountsOf(first, currency), amounts, z) : null,
      }
    }),
  }
}

/** Whoever bought nothing brought nothing, and counts. */
function amountsOf({ revenue, exposed }: ArmSales, currency: string): Amounts {
  const sums = revenue.find((each) => each.currency === currency)
  return { sum: sums?.net_cents ?? 0, squares: sums?.squares ?? 0, of: exposed }
}
