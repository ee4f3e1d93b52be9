import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query'
import { getBalance, listBalanceEntries } from '#contract/balance.ts'
import { call } from '#web/lib/api.ts'

/** The user's balance, the top-ups on sale, and the dramas with auto-unlock. */
export const balanceQuery = queryOptions({
  queryKey: ['balance'],
  queryFn: ({ signal }) => call(getBalance, { signal }),
  staleTime: 10_000,
})

/** Refetches the offers of locked episodes, because they change when auto-unlock is turned on or off. */
export function refetchLockedOffers(queryClient: QueryClient): void {
  const offers = {
    queryKey: ['playing'],
    predicate: ({ state: { data } }: { state: { data: unknown } }) =>
      typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'locked',
  }
  queryClient.removeQueries({ ...offers, type: 'inactive' })
  void queryClient.invalidateQueries(offers)
}

const firstPage: string | undefined = undefined

/**
 * The entries of the user's balance, newest first, paginated. They are invalidated together with the balance, whose
 * query key is a prefix of theirs.
 */
export const balanceEntriesQuery = infiniteQueryOptions({
  queryKey: [...balanceQuery.queryKey, 'entries'],
  queryFn: ({ pageParam, signal }) =>
    call(listBalanceEntries, { query: { cursor: pageParam, limit: 10 }, signal }),
  initialPageParam: firstPage as string | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  staleTime: 0,
})
