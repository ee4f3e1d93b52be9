import { useQuery } from '@tanstack/react-query'
import { isUnknownOrder, orderQuery } from '#web/features/billing/payments/queries.ts'

/** An order as it stands: known, unknown to the server, or lost on the way, and then asked for again until an answer comes. */
export function useOrder(orderId: string) {
  const query = useQuery({ ...orderQuery(orderId), enabled: orderId !== '' })
  const { data: order, error, errorUpdateCount, refetch } = query
  const unknown = orderId === '' || isUnknownOrder(error)
  // While it is asked for again there is no error, but still no answer either.
  const lost = !unknown && (error !== null || (!order && errorUpdateCount > 0))
  return { order, unknown, lost, retry: () => void refetch() }
}
