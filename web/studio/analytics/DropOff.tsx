import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { listDropOff, type DropOff as Row } from '#contract/studio/funnel.ts'
import { call } from '#web/lib/api.ts'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatCount, formatShare, formatTime } from '#web/studio/format.ts'
import { mostStarted } from './most-started.ts'
import { BarChart } from './BarChart.tsx'
import styles from './analytics.module.css'

/** The drop-off of a video's viewers, as a chart with a bar for each episode and as a table. */
export function DropOff() {
  const { t, language } = useTexts()
  const { id = '' } = useParams()
  const found = useInfiniteQuery({
    queryKey: ['analytics', 'dropoff', id],
    queryFn: ({ pageParam, signal }) =>
      call(listDropOff, {
        query: { video_id: id, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const pages = found.data?.pages
  const rows = pages?.flatMap(({ list }) => list) ?? []
  const most = mostStarted(rows)
  const since = pages?.[0]?.since ?? null
  const columns = [
    {
      title: t('analytics.episodeNumber'),
      cell: ({ number }: Row) => `${t('analytics.episodeNumber')} ${number}`,
    },
    { title: t('analytics.started'), figures: true, cell: ({ started }: Row) => formatCount(started) },
    { title: t('analytics.completed'), figures: true, cell: ({ finished }: Row) => formatCount(finished) },
    {
      title: t('analytics.completionRate'),
      figures: true,
      cell: (row: Row) => formatShare(row.finished, row.started),
    },
    {
      title: t('analytics.retention'),
      figures: true,
      cell: (row: Row) => formatShare(row.started, most),
    },
  ]
  return (
    <Page
      title={t('analytics.dropOff')}
      lead={
        <>
          {pages?.[0]?.title}
          <br />
          <PageLink to="/studio/analytics">{t('analytics.title')}</PageLink>
        </>
      }
    >
      <Panel title={t('analytics.viewersByEpisode')}>
        <p className={styles.words}>{t('analytics.dropOffText')}</p>
        {since !== null && (
          <p className={styles.words}>{t('analytics.countedSince', { time: formatTime(since, language) })}</p>
        )}
        {!pages && !found.isError && <div className={styles.wait} aria-busy="true" />}
        {rows.some(({ started }) => started > 0) && (
          <>
            <p className={styles.legend}>
              <span data-of="whole">{t('analytics.started')}</span>
              <span data-of="part">{t('analytics.completed')}</span>
            </p>
            <BarChart
              title={t('analytics.viewersChart')}
              bars={rows.map(({ number, started, finished }) => ({
                label: String(number),
                value: started,
                part: finished,
              }))}
              formatValue={formatCount}
            />
          </>
        )}
        {pages && (
          <Table
            caption={t('analytics.viewersByEpisode')}
            columns={columns}
            rows={rows}
            keyOf={({ episode_id }) => episode_id}
            empty={t('analytics.noEpisodes')}
          />
        )}
        <ListFooter pages={found} empty={null} />
      </Panel>
    </Page>
  )
}
