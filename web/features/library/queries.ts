import { queryOptions } from '@tanstack/react-query'
import { listHistory, type HistoryEntry } from '#contract/library.ts'
import { call } from '#web/lib/api.ts'
import { keep, kept } from '#web/lib/storage.ts'

/** What the viewer watched last, for "continue watching"; kept between visits, so that it need not push its way in. */
export const recentlyWatchedQuery = queryOptions({
  queryKey: ['history', 'recent'],
  queryFn: async ({ signal }) => {
    const { list } = await call(listHistory, { query: { kind: 'watched', limit: 12 }, signal })
    return keep<HistoryEntry[]>('recently_watched', list)
  },
  initialData: () => kept<HistoryEntry[]>('recently_watched'),
  initialDataUpdatedAt: 0,
  staleTime: 0,
})
