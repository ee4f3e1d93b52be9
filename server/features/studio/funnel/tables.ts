import type { FunnelKind } from '#contract/studio/funnel.ts'

/**
 * Sums of one key over one bucket of days. `key` is a token, a kind of ad click or a video's id. An empty `key` has the
 * sums of the steps without a token, ad click or video.
 */
interface FunnelBucketTable {
  kind: FunnelKind
  days: number
  first_day: Date
  key: string
}

interface FunnelCountsTable extends FunnelBucketTable {
  visits: number
  plays: number
  paywalls: number
  paid: number
}

interface FunnelRevenueTable extends FunnelBucketTable {
  currency: string
  renewal: boolean
  gross_cents: number
  refunded_cents: number
  disputed_cents: number
  disputes_won_cents: number
  disputes_lost_cents: number
}

export interface FunnelTables {
  funnel_counts: FunnelCountsTable
  funnel_revenue: FunnelRevenueTable
}
