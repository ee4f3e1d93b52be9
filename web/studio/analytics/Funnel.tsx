import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState, type CSSProperties } from 'react'
import { funnelKinds, listFunnel, type FunnelKind, type FunnelRow } from '#contract/studio/funnel.ts'
import type { Revenue, RevenueViews } from '#contract/studio/analytics.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { KeyFigures } from './KeyFigures.tsx'
import { amountColumns } from './amount-columns.ts'
import { PeriodText } from './PeriodText.tsx'
import { formatCount } from '#web/studio/format.ts'
import styles from './analytics.module.css'

type View = keyof RevenueViews
const views: readonly View[] = ['revenue', 'sale_revenue']

/** The conversion funnel by campaign, kind of ad click, or video. */
export function Funnel({ days }: { days: number }) {
  const { t } = useTexts()
  const [groupBy, setGroupBy] = useState<FunnelKind>('token')
  const [view, setView] = useState<View>('revenue')
  const found = useInfiniteQuery({
    queryKey: ['analytics', 'funnel', groupBy, days],
    queryFn: ({ pageParam, signal }) =>
      call(listFunnel, { query: { by: groupBy, days, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  })
  const pages = found.data?.pages
  const totals = pages?.[0]?.totals
  const rows = pages?.flatMap(({ list }) => list) ?? []
  return (
    <Panel title={t('analytics.funnel')}>
      <p className={styles.words}>{t('analytics.funnelDates')}</p>
      <p className={styles.words}>{t('analytics.funnelAttribution')}</p>
      <div className={styles.chooseTwo}>
        <SelectField
          label={t('analytics.groupBy')}
          value={groupBy}
          options={funnelKinds.map((kind) => ({ value: kind, label: t(`analytics.dimension.${kind}`) }))}
          onChoose={(value) => setGroupBy(funnelKinds.find((kind) => kind === value) ?? 'token')}
        />
        <SelectField
          label={t('analytics.revenueView')}
          value={view}
          options={views.map((one) => ({ value: one, label: t(`analytics.revenueViews.${one}`) }))}
          onChoose={(value) => setView(views.find((one) => one === value) ?? 'revenue')}
        />
      </div>
      {totals ? (
        <>
          <PeriodText of={pages?.[0]} />
          <KeyFigures
            figures={[
              [visitsName(t, groupBy), formatCount(totals.visits)],
              [t('analytics.plays'), formatCount(totals.plays)],
              [t('analytics.paywalls'), formatCount(totals.paywalls)],
              [t('analytics.paid'), formatCount(totals.paid)],
              ...totals[view].map((sums) => netOf(t, sums)),
            ]}
          />
          <Table
            caption={t('analytics.funnel')}
            columns={columnsOf(t, {
              by: groupBy,
              view,
              maxVisits: Math.max(1, ...rows.map(({ visits }) => visits)),
            })}
            rows={rows}
            keyOf={({ key }) => key ?? ''}
            empty={t('analytics.noVisits')}
          />
        </>
      ) : (
        !found.isError && <div className={styles.wait} aria-busy="true" />
      )}
      <ListFooter pages={found} empty={null} />
    </Panel>
  )
}

const netOf = (t: Translate, { currency, net_cents }: Revenue): [string, string] => [
  t('analytics.netIn', { currency }),
  money(net_cents, currency),
]

/**
 * Returns the label of the visits. In the funnel by video, a visit counts once for each video that the visitor opened,
 * so it may count several times or not at all.
 */
const visitsName = (t: Translate, by: FunnelKind) =>
  t(by === 'video' ? 'analytics.visitsOfVideo' : 'analytics.visits')

function columnsOf(t: Translate, { by, view, maxVisits }: { by: FunnelKind; view: View; maxVisits: number }) {
  const count = (title: string, field: 'visits' | 'plays' | 'paywalls' | 'paid') => ({
    title,
    figures: true,
    cell: (row: FunnelRow) => formatCount(row[field]),
  })
  const amount = (title: string, field: Exclude<keyof Revenue, 'currency'>) => ({
    title,
    figures: true,
    cell: (row: FunnelRow) => row[view].map((sums) => money(sums[field], sums.currency)).join(' + ') || '–',
  })
  return [
    {
      title: t(`analytics.dimension.${by}`),
      cell: (row: FunnelRow) => <FunnelRowName by={by} row={row} share={row.visits / maxVisits} />,
    },
    count(visitsName(t, by), 'visits'),
    count(t('analytics.plays'), 'plays'),
    count(t('analytics.paywalls'), 'paywalls'),
    count(t('analytics.paid'), 'paid'),
    ...amountColumns.map(({ name, field }) => amount(t(name), field)),
  ]
}

/** The label of a row, above a bar for its visits relative to the largest row. */
function FunnelRowName({ by, row, share }: { by: FunnelKind; row: FunnelRow; share: number }) {
  const { t } = useTexts()
  const { key, name } = row
  return (
    <span className={styles.named} style={{ '--share': share } as CSSProperties}>
      {by === 'video' && key !== null ? (
        <PageLink to={`/studio/analytics/videos/${encodeURIComponent(key)}`}>{name ?? key}</PageLink>
      ) : (
        <span>{nameOf(t, by, row)}</span>
      )}
      {by === 'token' && name !== null && <small>{key}</small>}
    </span>
  )
}

function nameOf(t: Translate, by: FunnelKind, { key, name }: FunnelRow): string {
  if (by === 'click') return t(`analytics.click.${clicks.find((click) => click === key) ?? 'none'}`)
  return name ?? key ?? t(`analytics.none.${by}`)
}

const clicks = ['meta', 'tiktok', 'both'] as const
