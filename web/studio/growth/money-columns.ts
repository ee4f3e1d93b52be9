import type { Revenue } from '#contract/studio/growth.ts'

/** The columns of amounts, in the order used by every table and chart of the growth area. */
export const moneyColumns = [
  { name: 'growth.gross', field: 'gross_cents' },
  { name: 'growth.refunded', field: 'refunded_cents' },
  { name: 'growth.disputed', field: 'disputed_cents' },
  { name: 'growth.disputesWon', field: 'disputes_won_cents' },
  { name: 'growth.disputesLost', field: 'disputes_lost_cents' },
  { name: 'growth.net', field: 'net_cents' },
] as const satisfies readonly { name: string; field: Exclude<keyof Revenue, 'currency'> }[]
