import type { RevenueViews } from '#contract/studio/analytics.ts'
import { sumByCurrency } from '#server/features/billing/billing.ts'
import { withNetRevenue } from '#server/features/studio/analytics/revenue.ts'
import type { FunnelRevenue } from './funnel-queries.ts'

/** Returns the revenue of a campaign or video in two ways: including renewals, and of first sales only. */
export function revenueViews(sums: readonly FunnelRevenue[]): RevenueViews {
  const all = sums.map(({ renewal: _renewal, ...money }) => money)
  const sales = sums.filter(({ renewal }) => !renewal).map(({ renewal: _renewal, ...money }) => money)
  return {
    revenue: sumByCurrency(all).map(withNetRevenue),
    sale_revenue: sumByCurrency(sales).map(withNetRevenue),
  }
}
