import { stateMachine } from './state-machine.ts'
import type { DisputeStatus, OrderStatus } from '#server/features/billing/tables.ts'

/** What an order is in that was paid, whatever has become of the money since. */
export const paidStatuses: readonly OrderStatus[] = ['paid', 'partially_refunded', 'refunded', 'charged_back']

/** Whether a bank holds or has taken the money of a payment, which has its order charged back. */
export const isDisputeOpenOrLost = ({ dispute }: { dispute?: DisputeStatus | null | undefined }): boolean =>
  dispute === 'open' || dispute === 'lost'

/** billing.md, "States". Late money is honoured, so a closed order may still be paid. */
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
 * What a refund that its gateway could not deliver after all leads back to, as if it had never been. These moves are none of
 * the list, since no payment makes them: money that comes in for an order that was refunded is not honoured.
 */
export const undoneRefunds = stateMachine<OrderStatus>({
  pending: [],
  failed: [],
  cancelled: [],
  expired: [],
  paid: [],
  partially_refunded: ['paid'],
  refunded: ['partially_refunded', 'paid'],
  charged_back: [],
})
