import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState, type CSSProperties } from 'react'
import { funnelKinds, listFunnel, type FunnelKind, type FunnelRow } from '#contract/studio/funnel.ts'
import type { Revenue } from '#contract/studio/growth.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/money.ts'
import { ListFoot } from '#web/ui/ListFoot.tsx'
import { useTexts, type Say } from '#web/studio/texts.ts'
import { Choice } from '#web/studio/ui/Choice.tsx'
import { Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { Figures } from './Figures.tsx'
import { SpanChoice } from './SpanChoice.tsx'
import { countWords } from '#web/studio/words.ts'
import styles from './growth.module.css'

/** From a visit to the payment, by what brought people here or by what they came to see. */
export function Funnel() {
  const { t } = useTexts()
  const [by, setBy] = useState<FunnelKind>('token')
  const [days, setDays] = useState(30)
  const found = useInfiniteQuery({
    queryKey: ['growth', 'funnel', by, days],
    queryFn: ({ pageParam, signal }) =>
      call(listFunnel, { query: { by, days, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  })
  const pages = found.data?.pages
  const totals = pages?.[0]?.totals
  const rows = pages?.flatMap(({ list }) => list) ?? []
  return (
    <Panel title={t('growth.funnel')}>
      <p className={styles.words}>{t('growth.funnelClock')}</p>
      <p className={styles.words}>{t('growth.funnelTouch')}</p>
      <div className={styles.chooseTwo}>
        <Choice
          label={t('growth.by')}
          value={by}
          options={funnelKinds.map((kind) => ({ value: kind, label: t(`growth.byKind.${kind}`) }))}
          onChoose={(value) => setBy(funnelKinds.find((kind) => kind === value) ?? 'token')}
        />
        <SpanChoice days={days} onChoose={setDays} />
      </div>
      {totals ? (
        <>
          <Figures
            figures={[
              [t('growth.visits'), countWords(totals.visits)],
              [t('growth.plays'), countWords(totals.plays)],
              [t('growth.paywalls'), countWords(totals.paywalls)],
              [t('growth.paid'), countWords(totals.paid)],
              ...totals.revenue.map((sums) => netOf(t, sums)),
            ]}
          />
          <Table
            caption={t('growth.funnel')}
            columns={columnsOf(t, by, Math.max(1, ...rows.map(({ visits }) => visits)))}
            rows={rows}
            keyOf={({ key }) => key ?? ''}
            empty={t('growth.nobodyCame')}
          />
        </>
      ) : (
        !found.isError && <div className={styles.wait} aria-busy="true" />
      )}
      <ListFoot pages={found} empty={null} />
    </Panel>
  )
}

const netOf = (t: Say, { currency, net_cents }: Revenue): [string, string] => [
  t('growth.netIn', { currency }),
  money(net_cents, currency),
]

function columnsOf(t: Say, by: FunnelKind, most: number) {
  const count = (title: string, field: 'visits' | 'plays' | 'paywalls' | 'paid') => ({
    title,
    figures: true,
    cell: (row: FunnelRow) => countWords(row[field]),
  })
  const amount = (title: string, field: Exclude<keyof Revenue, 'currency'>) => ({
    title,
    figures: true,
    cell: ({ revenue }: FunnelRow) =>
      revenue.map((sums) => money(sums[field], sums.currency)).join(' + ') || '–',
  })
  return [
    {
      title: t(`growth.byKind.${by}`),
      cell: (row: FunnelRow) => <Named by={by} row={row} share={row.visits / most} />,
    },
    count(t('growth.visits'), 'visits'),
    count(t('growth.plays'), 'plays'),
    count(t('growth.paywalls'), 'paywalls'),
    count(t('growth.paid'), 'paid'),
    amount(t('growth.gross'), 'gross_cents'),
    amount(t('growth.refunded'), 'refunded_cents'),
    amount(t('growth.chargedBack'), 'charged_back_cents'),
    amount(t('growth.net'), 'net_cents'),
  ]
}

/** What a row is about, over a bar as long as its visits are to the most. */
function Named({ by, row, share }: { by: FunnelKind; row: FunnelRow; share: number }) {
  const { t } = useTexts()
  const { key, name } = row
  return (
    <span className={styles.named} style={{ '--share': share } as CSSProperties}>
      {by === 'video' && key !== null ? (
        <PageLink to={`/studio/growth/videos/${encodeURIComponent(key)}`}>{name ?? key}</PageLink>
      ) : (
        <span>{nameOf(t, by, row)}</span>
      )}
      {by === 'token' && name !== null && <small>{key}</small>}
    </span>
  )
}

function nameOf(t: Say, by: FunnelKind, { key, name }: FunnelRow): string {
  if (by === 'click') return t(`growth.click.${clicks.find((click) => click === key) ?? 'none'}`)
  return name ?? key ?? t(`growth.none.${by}`)
}

const clicks = ['meta', 'tiktok', 'both'] as const
