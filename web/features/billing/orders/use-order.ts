import { useQuery } from '@tanstack/react-query'
import type { Order } from '#contract/billing.ts'
import { isUnknownOrder, orderQuery } from '#web/features/billing/payments/queries.ts'

/** Returns whether an order was ever paid, even if it was refunded since. */
export const hasReceipt = ({ paid_at }: Order): boolean => paid_at !== undefined

/** Loads an order: `unknown` if the server has no such order, `lost` if the request failed; then it is retried until it succeeds. */
export function useOrder(orderId: string) {
  const query = useQuery({ ...orderQuery(orderId), enabled: orderId !== '' })
  const { data: order, error, errorUpdateCount, refetch } = query
  const isNotFound = orderId === '' || isUnknownOrder(error)
  // During a retry there is no error, but no response yet either.
  const hasFailed = !isNotFound && (error !== null || (!order && errorUpdateCount > 0))
  return { order, unknown: isNotFound, lost: hasFailed, retry: () => void refetch() }
}
