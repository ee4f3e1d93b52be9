import type { GrowthDay, Revenue } from '#contract/studio/growth.ts'
import { listDays } from '#contract/studio/growth.ts'
import { loadMoneyDays, type MoneyDay } from '#server/features/billing/billing.ts'
import { reads, type Command } from './command.ts'

/** What the site earns and where from. The figures are the ledger's own. */
export const growthCommands: Command[] = [
  reads(listDays, async ({ db, clock }, { until, days = 30 }) => {
    const end = until === undefined ? clock.now() : new Date(until)
    const { days: found, subscribers } = await loadMoneyDays(db, end, days)
    const list = found.map(present)
    return { data: { list, totals: totalsOf(list), subscribers } }
  }),
]

function present({ day, revenue, began, ended, failed_renewals }: MoneyDay): GrowthDay {
  return { day, revenue: revenue.map(withNet), subscribed: began, churned: ended, failed_renewals }
}

/** Money with what is left of it. */
export function withNet(sums: Omit<Revenue, 'net_cents'>): Revenue {
  const { gross_cents, refunded_cents, charged_back_cents } = sums
  return { ...sums, net_cents: gross_cents - refunded_cents - charged_back_cents }
}

function totalsOf(days: readonly GrowthDay[]): Revenue[] {
  const byCurrency = Map.groupBy(
    days.flatMap(({ revenue }) => revenue),
    ({ currency }) => currency,
  )
  return [...byCurrency].map(([currency, all]) => {
    const sum = (field: Exclude<keyof Revenue, 'currency'>) =>
      all.reduce((total, revenue) => total + revenue[field], 0)
    return {
      currency,
      gross_cents: sum('gross_cents'),
      refunded_cents: sum('refunded_cents'),
      charged_back_cents: sum('charged_back_cents'),
      net_cents: sum('net_cents'),
    }
  })
}
