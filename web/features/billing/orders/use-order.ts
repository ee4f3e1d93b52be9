import { useQuery } from '@tanstack/react-query'
import type { Order } from '#contract/billing.ts'
import { isUnknownOrder, orderQuery } from '#web/features/billing/payments/queries.ts'

/** Whether money was paid for an order, though some may have gone back since. */
export const hasReceipt = ({ paid_at }: Order): boolean => paid_at !== undefined

/** An order as it stands: known, unknown to the server, or lost on the way, and then asked for again until an answer comes. */
export function useOrder(orderId: string) {
  const query = useQuery({ ...orderQuery(orderId), enabled: orderId !== '' })
  const { data: order, error, errorUpdateCount, refetch } = query
  const unknown = orderId === '' || isUnknownOrder(error)
  // While it is asked for again there is no error, but still no answer either.
  const lost = !unknown && (error !== null || (!order && errorUpdateCount > 0))
  return { order, unknown, lost, retry: () => void refetch() }
}
