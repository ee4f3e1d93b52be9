import { queryOptions } from '@tanstack/react-query'
import { listHistory } from '#contract/library.ts'
import { call } from '#web/lib/api.ts'

/** What the viewer watched last, for "continue watching". */
export const recentlyWatchedQuery = queryOptions({
  queryKey: ['history', 'recent'],
  queryFn: async ({ signal }) => (await call(listHistory, { query: { kind: 'watched', limit: 12 }, signal })).list,
  staleTime: 0,
})
