import { useInfiniteQuery } from '@tanstack/react-query'
import { listWatchHistory, type WatchHistoryEntry } from '#contract/studio/customers.ts'
import { call } from '#web/lib/api.ts'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'

/** A customer's watch history, the latest first. */
export function WatchHistory({ id }: { id: string }) {
  const { t, language } = useTexts()
  const history = useInfiniteQuery({
    queryKey: ['history', id, language],
    queryFn: ({ pageParam, signal }) =>
      call(listWatchHistory, { query: { id, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const columns = [
    { title: t('customers.watched'), cell: ({ title, number }: WatchHistoryEntry) => `${title} · ${number}` },
    {
      title: t('customers.position'),
      figures: true,
      cell: ({ position_ms, duration_ms }: WatchHistoryEntry) =>
        `${clock(position_ms)} / ${clock(duration_ms)}`,
    },
    { title: t('payments.date'), cell: ({ at }: WatchHistoryEntry) => formatTime(at, language) },
  ]
  return (
    <>
      {history.data && (
        <Table
          caption={t('customers.history')}
          columns={columns}
          rows={history.data.pages.flatMap(({ list }) => list)}
          keyOf={({ video_id }) => video_id}
          empty={t('customers.noHistory')}
        />
      )}
      <ListFooter pages={history} empty={null} />
    </>
  )
}

function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
