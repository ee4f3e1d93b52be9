import { useInfiniteQuery } from '@tanstack/react-query'
import { listWatched, type WatchedEntry } from '#contract/studio/people.ts'
import { call } from '#web/lib/api.ts'
import { ListFoot } from '#web/ui/ListFoot.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'

/** A customer's watch history, the latest first. */
export function History({ id }: { id: string }) {
  const { t, language } = useTexts()
  const history = useInfiniteQuery({
    queryKey: ['history', id, language],
    queryFn: ({ pageParam, signal }) =>
      call(listWatched, { query: { id, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const columns = [
    { title: t('people.watched'), cell: ({ title, number }: WatchedEntry) => `${title} · ${number}` },
    {
      title: t('people.position'),
      figures: true,
      cell: ({ position_ms, duration_ms }: WatchedEntry) => `${clock(position_ms)} / ${clock(duration_ms)}`,
    },
    { title: t('money.when'), cell: ({ at }: WatchedEntry) => formatTime(at, language) },
  ]
  return (
    <>
      {history.data && (
        <Table
          caption={t('people.history')}
          columns={columns}
          rows={history.data.pages.flatMap(({ list }) => list)}
          keyOf={({ video_id }) => video_id}
          empty={t('people.noHistory')}
        />
      )}
      <ListFoot pages={history} empty={null} />
    </>
  )
}

function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
