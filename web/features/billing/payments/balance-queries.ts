import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query'
import { getBalance, listBalanceEntries } from '#contract/balance.ts'
import { call } from '#web/lib/api.ts'

/** What is left of the person's balance, the top-ups on sale, and the dramas with auto-unlock. */
export const balanceQuery = queryOptions({
  queryKey: ['balance'],
  queryFn: ({ signal }) => call(getBalance, { signal }),
  staleTime: 10_000,
})

/** Once auto-unlock of a drama is on or off: what is offered for its locked episodes says so, and is asked for again. */
export function rereadOffers(queryClient: QueryClient): void {
  const offers = {
    queryKey: ['playing'],
    predicate: ({ state: { data } }: { state: { data: unknown } }) =>
      typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'locked',
  }
  queryClient.removeQueries({ ...offers, type: 'inactive' })
  void queryClient.invalidateQueries(offers)
}

const firstPage: string | undefined = undefined

/** The changes of the person's balance, newest first, page after page. Read again with the balance, whose key is part of this one. */
export const balanceEntriesQuery = infiniteQueryOptions({
  queryKey: [...balanceQuery.queryKey, 'entries'],
  queryFn: ({ pageParam, signal }) =>
    call(listBalanceEntries, { query: { cursor: pageParam, limit: 10 }, signal }),
  initialPageParam: firstPage as string | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  staleTime: 0,
})
