import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { getPayment, listPlans } from '#contract/billing.ts'
import { call } from '#web/lib/api.ts'
import { readOrder } from './pay.ts'

const againMs = 1_500

/** The plans on sale and the ways to pay. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => call(listPlans, { signal }),
})

const firstPage: string | undefined = undefined

/** The person's orders, newest first, page after page. */
export const ordersQuery = infiniteQueryOptions({
  queryKey: ['orders'],
  queryFn: async ({ pageParam, signal }) => {
    const page = await call(getPayment, { query: { cursor: pageParam, limit: 20 }, signal })
    if (!('list' in page)) throw new TypeError('one order where a list was asked for')
    return page
  },
  initialPageParam: firstPage as string | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  staleTime: 0,
})

/** An order, read again until it is final. */
export const orderQuery = (orderId: string) =>
  queryOptions({
    queryKey: ['order', orderId],
    queryFn: () => readOrder(orderId),
    refetchInterval: ({ state: { data, error } }) =>
      !error && (!data || data.status === 'pending') ? againMs : false,
    staleTime: 0,
  })
