import { useQuery } from '@tanstack/react-query'
import type { ResultOf } from '#contract/endpoint.ts'
import { showBalances, type BalanceDay } from '#contract/studio/top-ups.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { formatDay } from '#web/studio/format.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Panel } from '#web/studio/ui/Page.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import styles from './payments.module.css'

type Liability = ResultOf<typeof showBalances>['liability'][number]

/** The liability from all prepaid balances, and its changes by day (docs/figures.md). */
export function BalanceReport() {
  const { t } = useTexts()
  const found = useQuery({
    queryKey: ['balances'],
    queryFn: ({ signal }) => call(showBalances, { signal }),
  })
  if (found.isLoadingError) return <LoadError onRetry={() => void found.refetch()} />
  if (!found.data) return <div className={styles.wait} aria-busy="true" />
  const { liability, days } = found.data
  return (
    <>
      <Panel title={t('topUps.liability')}>
        <p>{t('topUps.liabilityHint')}</p>
        <Table
          caption={t('topUps.liability')}
          columns={[
            { title: t('topUps.currency'), cell: ({ currency }: Liability) => currency },
            {
              title: t('topUps.paidLiability'),
              figures: true,
              cell: ({ paid_cents, currency }: Liability) => money(paid_cents, currency),
            },
            {
              title: t('topUps.bonus'),
              figures: true,
              cell: ({ bonus_cents, currency }: Liability) => money(bonus_cents, currency),
            },
          ]}
          rows={liability}
          keyOf={({ currency }) => currency}
          empty={t('topUps.noLiability')}
        />
      </Panel>
      <Panel title={t('topUps.byDay')}>
        <BalanceDayTable days={days} />
      </Panel>
    </>
  )
}

function BalanceDayTable({ days }: { days: readonly BalanceDay[] }) {
  const { t, language } = useTexts()
  const figure = (title: string, centsOf: (day: BalanceDay) => number) => ({
    title,
    figures: true,
    cell: (day: BalanceDay) => money(centsOf(day), day.currency),
  })
  const columns = [
    { title: t('topUps.day'), cell: ({ day }: BalanceDay) => formatDay(day, language) },
    figure(t('topUps.toppedUp'), (day) => day.topped_up_cents),
    figure(t('topUps.recognised'), (day) => day.recognised_cents),
    figure(t('topUps.discount'), (day) => day.discount_cents),
    figure(t('topUps.refunded'), (day) => day.top_ups_returned_cents),
    figure(t('topUps.breakage'), (day) => day.breakage_cents),
    figure(t('topUps.loss'), (day) => day.loss_cents),
  ]
  return (
    <Table
      caption={t('topUps.byDay')}
      columns={columns}
      rows={days}
      keyOf={({ day, currency }) => day + currency}
      empty={t('topUps.noActivity')}
    />
  )
}
