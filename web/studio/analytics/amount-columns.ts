import type { Revenue } from '#contract/studio/analytics.ts'

/** The columns of amounts, in the order used by every table and chart of the analytics area. */
export const amountColumns = [
  { name: 'analytics.gross', field: 'gross_cents' },
  { name: 'analytics.refunded', field: 'refunded_cents' },
  { name: 'analytics.disputed', field: 'disputed_cents' },
  { name: 'analytics.disputesWon', field: 'disputes_won_cents' },
  { name: 'analytics.disputesLost', field: 'disputes_lost_cents' },
  { name: 'analytics.net', field: 'net_cents' },
] as const satisfies readonly { name: string; field: Exclude<keyof Revenue, 'currency'> }[]
