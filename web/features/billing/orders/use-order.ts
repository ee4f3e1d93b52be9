import { useQuery } from '@tanstack/react-query'
import type { Order } from '#contract/billing.ts'
import { isUnknownOrder, orderQuery } from '#web/features/billing/payments/queries.ts'

/** Returns whether the order was paid, even if it was refunded later. */
export const hasReceipt = ({ paid_at }: Order): boolean => paid_at !== undefined

/**
 * Loads an order. `unknown`: the server has no such order. `lost`: the request failed and is repeated until it
 * succeeds.
 */
export function useOrder(orderId: string) {
  const query = useQuery({ ...orderQuery(orderId), enabled: orderId !== '' })
  const { data: order, error, errorUpdateCount, refetch } = query
  const isNotFound = orderId === '' || isUnknownOrder(error)
  // During a retry, `error` is null again although no response has arrived yet.
  const hasFailed = !isNotFound && (error !== null || (!order && errorUpdateCount > 0))
  return { order, unknown: isNotFound, lost: hasFailed, retry: () => void refetch() }
}
