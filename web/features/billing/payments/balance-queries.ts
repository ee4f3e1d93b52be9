import { queryOptions } from '@tanstack/react-query'
import { getBalance } from '#contract/balance.ts'
import { call } from '#web/lib/api.ts'

/** What is left of the person's balance, the top-ups on sale, and the dramas with auto-unlock. */
export const balanceQuery = queryOptions({
  queryKey: ['balance'],
  queryFn: ({ signal }) => call(getBalance, { signal }),
  staleTime: 10_000,
})
