import type { Order } from '#contract/billing.ts'
import type { Translate } from '#web/i18n/index.ts'
import { formatLongDate } from '#web/lib/format.ts'

/** Returns the status of an order, for a list. */
export function orderStatusText(t: Translate, { status, starts_at, processing, auto_refund }: Order): string {
  if (starts_at) return t('orders.starts', { date: formatLongDate(starts_at) })
  if (starts_at === null) return t('orders.startCancelled')
  if (processing) return t('orders.status.processing')
  return auto_refund ? auto_refund.message : t(`orders.status.${status}`)
}

/** Describes the status of one order. While the order loads, says that the payment is pending. */
export function orderResultText(t: Translate, order: Order | undefined): string {
  if (!order) return t('result.pending')
  const { status, starts_at, declined, processing, auto_refund } = order
  if (auto_refund && !processing) return auto_refund.message
  if (declined) return declined.message
  if (starts_at) return t('result.starts', { date: formatLongDate(starts_at) })
  if (starts_at === null) return t('result.planChangeCancelled')
  if (processing) return t('result.processing')
  return t(`result.${isRefundedOrChargedBack(status) ? 'refunded' : status}`)
}

function isRefundedOrChargedBack(
  status: Order['status'],
): status is 'partially_refunded' | 'refunded' | 'charged_back' {
  return status === 'partially_refunded' || status === 'refunded' || status === 'charged_back'
}

/** Returns whether the payment of an order may still succeed. The user should then not pay again. */
export const mayStillBePaid = ({ status, next, declined, processing }: Order): boolean =>
  status === 'pending' ? next.type === 'none' && !declined : processing === true

/** Returns whether an order is closed without a payment in progress. */
export const isClosedUnpaid = ({ status, processing }: Order): boolean =>
  (status === 'cancelled' || status === 'failed' || status === 'expired') && !processing

/** Returns whether an order was paid and then fully refunded or charged back. */
export const isFullyRefunded = ({ status }: Order): boolean =>
  status === 'refunded' || status === 'charged_back'

/** Returns whether an order was declined, closed unpaid or fully refunded, so that the offer must be shown again. */
export const shouldShowOfferAgain = (order: Order): boolean =>
  order.declined !== undefined ||
  isClosedUnpaid(order) ||
  (!order.processing && (order.auto_refund !== undefined || isFullyRefunded(order)))

/** Explains why an order is still unpaid after its payment was polled. */
export function unpaidText(t: Translate, order: Order): string {
  if (order.declined) return order.declined.message
  if (mayStillBePaid(order)) return t('order.outcomeUnknown')
  if (order.status === 'pending') return t('order.notConfirmed')
  return order.auto_refund?.message ?? t('order.failed')
}
