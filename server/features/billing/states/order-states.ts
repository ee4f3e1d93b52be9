import { stateMachine } from './state-machine.ts'
import type { DisputeStatus, OrderStatus } from '#server/features/billing/tables.ts'

/** The states of an order that was paid, including those after a refund or chargeback. */
export const paidStatuses: readonly OrderStatus[] = ['paid', 'partially_refunded', 'refunded', 'charged_back']

/** Returns whether a dispute withholds or has taken the money of a payment. The order is then charged back. */
export const isDisputeOpenOrLost = ({ dispute }: { dispute?: DisputeStatus | null | undefined }): boolean =>
  dispute === 'open' || dispute === 'lost'

/** The states of an order. Late payments count: an order that failed, was cancelled or expired can become paid. */
export const orderStates = stateMachine<OrderStatus>({
  pending: ['paid', 'failed', 'cancelled', 'expired'],
  failed: ['paid'],
  cancelled: ['paid'],
  expired: ['paid'],
  paid: ['partially_refunded', 'refunded', 'charged_back'],
  partially_refunded: ['refunded', 'charged_back'],
  refunded: [],
  charged_back: ['paid', 'partially_refunded'],
})

/**
 * The transitions after a refund failed at the gateway. They are not part of `orderStates`, because a payment must not
 * cause them. Another payment for a refunded order is refunded.
 */
export const refundReversals = stateMachine<OrderStatus>({
  pending: [],
  failed: [],
  cancelled: [],
  expired: [],
  paid: [],
  partially_refunded: ['paid'],
  refunded: ['partially_refunded', 'paid'],
  charged_back: [],
})
