import type { ReportDay, Revenue } from '#contract/studio/analytics.ts'
import { listReportDays } from '#contract/studio/analytics.ts'
import {
  sumByCurrency,
  loadDailyRevenue,
  type LedgerSums,
  type RevenueDay,
} from '#server/features/billing/billing.ts'
import { readCommand, type Command } from '#server/features/studio/define-command.ts'

/** Commands for daily revenue. The figures are sums of the ledger. */
export const revenueCommands: Command[] = [
  readCommand(listReportDays, async ({ db, clock }, { until, days = 30 }) => {
    const end = until === undefined ? clock.now() : new Date(until)
    const { days: found, subscribers } = await loadDailyRevenue(db, end, days)
    const list = found.map(present)
    return { data: { list, totals: totalsOf(list), subscribers } }
  }),
]

function present({ day, revenue, began, ended, failed_renewals }: RevenueDay): ReportDay {
  return { day, revenue: revenue.map(withNetRevenue), subscribed: began, churned: ended, failed_renewals }
}

/** Returns sums of ledger lines together with their net revenue. */
export function withNetRevenue(sums: LedgerSums): Revenue {
  const { gross_cents, refunded_cents, disputed_cents, disputes_won_cents } = sums
  return { ...sums, net_cents: gross_cents - refunded_cents - (disputed_cents - disputes_won_cents) }
}

const totalsOf = (days: readonly ReportDay[]): Revenue[] =>
  sumByCurrency(days.flatMap(({ revenue }) => revenue)).map(withNetRevenue)
