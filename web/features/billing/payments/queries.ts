import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query'
import { getOrders, getSavedPaymentMethod, listPlans, type Order } from '#contract/billing.ts'
import { getReceipt } from '#contract/consumer-rights.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { boot } from '#web/lib/boot.ts'
import { readOrder } from './pay.ts'

const pollMs = 1_500
const maxPollMs = 30_000

/** The plans on sale and the payment methods. Those embedded in the document are shown until they are refetched. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => call(listPlans, { signal }),
  initialData: () => boot?.plans,
  initialDataUpdatedAt: 0,
})

const firstPage: string | undefined = undefined

/** The user's orders, newest first, paginated. */
export const ordersQuery = infiniteQueryOptions({
  queryKey: ['orders'],
  queryFn: async ({ pageParam, signal }) => {
    const page = await call(getOrders, { query: { cursor: pageParam, limit: 20 }, signal })
    if (!('list' in page)) throw new TypeError('the server returned one order instead of a list')
    return page
  },
  initialPageParam: firstPage as string | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  staleTime: 0,
})

/** The card that the user has saved for purchases. */
export const savedMethodQuery = (userId: string) =>
  queryOptions({
    queryKey: ['saved-method', userId],
    queryFn: ({ signal }) => call(getSavedPaymentMethod, { signal }),
    staleTime: 0,
  })

/** Refetches the data of a subscription: the membership and the orders. */
export async function refetchSubscription(queryClient: QueryClient): Promise<void> {
  const keys = [userQuery.queryKey, ordersQuery.queryKey]
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}

/** Returns whether a call failed because the server has no such order. */
export const isUnknownOrder = (error: unknown): boolean => error instanceof ApiError && error.code === 404

/** Returns whether an order is final, was declined, or starts at a later time. */
const isSettled = ({ status, declined, starts_at }: Order): boolean =>
  status !== 'pending' || declined !== undefined || starts_at !== undefined

/** An order, polled until it is settled. After errors, polling continues at growing intervals. */
export const orderQuery = (orderId: string) =>
  queryOptions({
    queryKey: ['order', orderId],
    queryFn: () => readOrder(orderId),
    refetchInterval: ({ state: { data, error, errorUpdateCount } }) => {
      if (isUnknownOrder(error) || (data && isSettled(data))) return false
      return data && !error ? pollMs : Math.min(pollMs * 2 ** errorUpdateCount, maxPollMs)
    },
    staleTime: 0,
  })

/** The receipt of a paid order. */
export const receiptQuery = (orderId: string) =>
  queryOptions({
    queryKey: ['receipt', orderId],
    queryFn: ({ signal }) => call(getReceipt, { query: { order_id: orderId }, signal }),
    staleTime: 0,
  })
