import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { listFavorites, listHistory, type HistoryEntry } from '#contract/library.ts'
import { call } from '#web/lib/api.ts'
import { saveRecord, readRecord } from '#web/lib/storage.ts'

/**
 * The viewer's recent videos, for "continue watching". Stored in the browser, so that the row is shown at once on the
 * next visit.
 */
export const recentlyWatchedQuery = queryOptions({
  queryKey: ['history', 'recent'],
  queryFn: async ({ signal }) => {
    const { list } = await call(listHistory, { query: { kind: 'watched', limit: 12 }, signal })
    return saveRecord<HistoryEntry[]>('recently_watched', list)
  },
  initialData: () => readRecord<HistoryEntry[]>('recently_watched'),
  initialDataUpdatedAt: 0,
  staleTime: 0,
})

const pageSize = 20
const firstPage: string | undefined = undefined

/** The watched or unlocked videos, paginated. */
export const historyQuery = (kind: 'watched' | 'unlocked') =>
  infiniteQueryOptions({
    queryKey: ['history', kind],
    queryFn: ({ pageParam, signal }) =>
      call(listHistory, { query: { kind, cursor: pageParam, limit: pageSize }, signal }),
    initialPageParam: firstPage as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    staleTime: 0,
  })

/** The favorites, paginated. */
export const favoritesQuery = infiniteQueryOptions({
  queryKey: ['favorites'],
  queryFn: ({ pageParam, signal }) =>
    call(listFavorites, { query: { cursor: pageParam, limit: pageSize }, signal }),
  initialPageParam: firstPage as string | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  staleTime: 0,
})
