import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { listReportDays, type ReportDay, type Revenue } from '#contract/studio/analytics.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { Panel } from '#web/studio/ui/Page.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatCount, formatDay } from '#web/studio/format.ts'
import { BarChart } from './BarChart.tsx'
import { KeyFigures } from './KeyFigures.tsx'
import { amountColumns } from './amount-columns.ts'
import styles from './analytics.module.css'

/** Revenue, subscribers, churn and failed renewals by UTC day, as charts and as tables. */
export function DailyReport({ days }: { days: number }) {
  const found = useQuery({
    queryKey: ['analytics', 'days', days],
    queryFn: ({ signal }) => call(listReportDays, { query: { days }, signal }),
    placeholderData: keepPreviousData,
  })
  if (found.isLoadingError) return <LoadError onRetry={() => void found.refetch()} />
  if (!found.data) return <div className={styles.wait} aria-busy="true" />
  const { list, totals, subscribers } = found.data
  return (
    <>
      <RevenueDays list={list} totals={totals} />
      <SubscriberDays list={list} subscribers={subscribers} />
    </>
  )
}

function RevenueDays({ list, totals }: { list: readonly ReportDay[]; totals: readonly Revenue[] }) {
  const { t, language } = useTexts()
  const rows = list.toReversed().flatMap(({ day, revenue }) => revenue.map((sums) => ({ ...sums, day })))
  const column = (title: string, field: Exclude<keyof Revenue, 'currency'>) => ({
    title,
    figures: true,
    cell: (row: Revenue) => money(row[field], row.currency),
  })
  return (
    <Panel title={t('analytics.revenue')}>
      {totals.map((total) => (
        <CurrencyChart key={total.currency} list={list} total={total} />
      ))}
      <Table
        caption={t('analytics.revenue')}
        columns={[
          {
            title: t('analytics.day'),
            cell: (row: Revenue & { day: string }) => formatDay(row.day, language),
          },
          ...amountColumns.map(({ name, field }) => column(t(name), field)),
        ]}
        rows={rows}
        keyOf={({ day, currency }) => `${day} ${currency}`}
        empty={t('analytics.noSales')}
      />
    </Panel>
  )
}

function CurrencyChart({ list, total }: { list: readonly ReportDay[]; total: Revenue }) {
  const { t, language } = useTexts()
  const { currency } = total
  const bars = list.map(({ day, revenue }) => ({
    label: formatDay(day, language),
    value: revenue.find((sums) => sums.currency === currency)?.net_cents ?? 0,
  }))
  return (
    <>
      <KeyFigures
        figures={amountColumns.map(({ name, field }) => [t(name), money(total[field], currency)])}
      />
      <BarChart
        title={t('analytics.netByDay', { currency })}
        bars={bars}
        formatValue={(cents) => money(cents, currency)}
      />
    </>
  )
}

function SubscriberDays({ list, subscribers }: { list: readonly ReportDay[]; subscribers: number }) {
  const { t, language } = useTexts()
  const chart = (title: string, valueOf: (day: ReportDay) => number) => {
    const bars = list.map((day) => ({ label: formatDay(day.day, language), value: valueOf(day) }))
    // If all values are zero, there is no chart; the key figure shows the zero.
    return (
      bars.some(({ value }) => value !== 0) && (
        <BarChart title={title} bars={bars} formatValue={formatCount} />
      )
    )
  }
  const rows = list
    .filter(({ subscribed, churned, failed_renewals }) => subscribed + churned + failed_renewals > 0)
    .toReversed()
  return (
    <Panel title={t('analytics.subscribers')}>
      <KeyFigures figures={subscriberFigures(t, list, subscribers)} />
      {rows.length > 0 && (
        <>
          {chart(t('analytics.changeByDay'), ({ subscribed, churned }) => subscribed - churned)}
          {chart(t('analytics.churnByDay'), ({ churned }) => churned)}
          {chart(t('analytics.failedByDay'), ({ failed_renewals }) => failed_renewals)}
        </>
      )}
      <Table
        slim
        caption={t('analytics.subscribers')}
        columns={[
          { title: t('analytics.day'), cell: ({ day }: ReportDay) => formatDay(day, language) },
          {
            title: t('analytics.newSubscribers'),
            figures: true,
            cell: ({ subscribed }: ReportDay) => subscribed,
          },
          { title: t('analytics.churned'), figures: true, cell: ({ churned }: ReportDay) => churned },
          { title: t('analytics.failed'), figures: true, cell: (day: ReportDay) => day.failed_renewals },
        ]}
        rows={rows}
        keyOf={({ day }) => day}
        empty={t('analytics.noSubscriberChanges')}
      />
    </Panel>
  )
}

function subscriberFigures(t: Translate, list: readonly ReportDay[], subscribers: number) {
  const sum = (field: 'subscribed' | 'churned' | 'failed_renewals') =>
    formatCount(list.reduce((total, day) => total + day[field], 0))
  return [
    [t('analytics.currentSubscribers'), formatCount(subscribers)],
    [t('analytics.newSubscribers'), sum('subscribed')],
    [t('analytics.churned'), sum('churned')],
    [t('analytics.failed'), sum('failed_renewals')],
  ] as const
}
