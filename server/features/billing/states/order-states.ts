import { stateMachine } from './state-machine.ts'
import type { DisputeStatus, OrderStatus } from '#server/features/billing/tables.ts'

/** The states of an order that was paid, whatever happened to the money since. */
export const paidStatuses: readonly OrderStatus[] = ['paid', 'partially_refunded', 'refunded', 'charged_back']

/** Returns whether a bank holds or has taken the money of a payment, which makes its order charged back. */
export const isDisputeOpenOrLost = ({ dispute }: { dispute?: DisputeStatus | null | undefined }): boolean =>
  dispute === 'open' || dispute === 'lost'

/** The states of an order. Late money is honoured, so a closed order may still be paid. */
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
 * The moves that revert a refund that its gateway could not deliver. They are not in the list above, because no payment makes
 * them: money that comes in for a refunded order is not honoured.
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
