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
import styles from './growth.module.css'

/** The drop-off of a video's viewers, as a chart with a bar for each episode and as a table. */
export function DropOff() {
  const { t, language } = useTexts()
  const { id = '' } = useParams()
  const found = useInfiniteQuery({
    queryKey: ['growth', 'dropoff', id],
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
    { title: t('growth.episodeNumber'), cell: ({ number }: Row) => `${t('growth.episodeNumber')} ${number}` },
    { title: t('growth.started'), figures: true, cell: ({ started }: Row) => formatCount(started) },
    { title: t('growth.finished'), figures: true, cell: ({ finished }: Row) => formatCount(finished) },
    {
      title: t('growth.finishedShare'),
      figures: true,
      cell: (row: Row) => formatShare(row.finished, row.started),
    },
    {
      title: t('growth.ofMost'),
      figures: true,
      cell: (row: Row) => formatShare(row.started, most),
    },
  ]
  return (
    <Page
      title={t('growth.dropOff')}
      lead={
        <>
          {pages?.[0]?.title}
          <br />
          <PageLink to="/studio/analytics">{t('growth.title')}</PageLink>
        </>
      }
    >
      <Panel title={t('growth.viewersByEpisode')}>
        <p className={styles.words}>{t('growth.dropOffWords')}</p>
        {since !== null && (
          <p className={styles.words}>{t('growth.countedSince', { time: formatTime(since, language) })}</p>
        )}
        {!pages && !found.isError && <div className={styles.wait} aria-busy="true" />}
        {rows.some(({ started }) => started > 0) && (
          <>
            <p className={styles.legend}>
              <span data-of="whole">{t('growth.started')}</span>
              <span data-of="part">{t('growth.finished')}</span>
            </p>
            <BarChart
              title={t('growth.viewersChart')}
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
            caption={t('growth.viewersByEpisode')}
            columns={columns}
            rows={rows}
            keyOf={({ episode_id }) => episode_id}
            empty={t('growth.noEpisodes')}
          />
        )}
        <ListFooter pages={found} empty={null} />
      </Panel>
    </Page>
  )
}
