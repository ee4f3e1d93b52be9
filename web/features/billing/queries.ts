import { queryOptions } from '@tanstack/react-query'
import { listPlans } from '#contract/billing.ts'
import { call } from '#web/lib/api.ts'
import { readOrder } from './pay.ts'

const againMs = 1_500

/** The plans on sale and the ways to pay. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => call(listPlans, { signal }),
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
