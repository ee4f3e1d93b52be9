import { stateMachine } from './state-machine.ts'
import type { OrderStatus } from './tables.ts'

/** What an order is in that was paid, whatever has become of the money since. */
export const paidStatuses: readonly OrderStatus[] = ['paid', 'partially_refunded', 'refunded', 'charged_back']

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
