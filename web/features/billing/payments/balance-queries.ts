import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { getBalance, listBalanceEntries, type AutoUnlock } from '#contract/balance.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { call } from '#web/lib/api.ts'

/** What is left of the person's balance, the top-ups on sale, and the dramas with auto-unlock. */
export const balanceQuery = queryOptions({
  queryKey: ['balance'],
  queryFn: ({ signal }) => call(getBalance, { signal }),
  staleTime: 10_000,
})

type OwnBalance = ResultOf<typeof getBalance>

/** What is known of the balance once auto-unlock of a drama is off. */
export const withoutAutoUnlock = (known: OwnBalance | undefined, videoId: string | undefined) =>
  known && { ...known, auto_unlocks: known.auto_unlocks.filter(({ video_id }) => video_id !== videoId) }

/** What is known of the balance once auto-unlock of a drama is on. */
export function withAutoUnlock(known: OwnBalance | undefined, made: AutoUnlock): OwnBalance | undefined {
  const others = withoutAutoUnlock(known, made.video_id)
  return others && { ...others, auto_unlocks: [made, ...others.auto_unlocks] }
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
