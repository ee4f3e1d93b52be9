import type { RevenueViews } from '#contract/studio/growth.ts'
import { addByCurrency } from '#server/features/billing/billing.ts'
import { withNet } from '#server/features/studio/growth/growth.ts'
import type { Sums } from './funnel-queries.ts'

/** The two views of money that a campaign or a drama brought: of the sale, and with the renewals that followed it. */
export function viewsOf(sums: readonly Sums[]): RevenueViews {
  const all = sums.map(({ renewal: _renewal, ...money }) => money)
  const sales = sums.filter(({ renewal }) => !renewal).map(({ renewal: _renewal, ...money }) => money)
  return {
    revenue: addByCurrency(all).map(withNet),
    sale_revenue: addByCurrency(sales).map(withNet),
  }
}
