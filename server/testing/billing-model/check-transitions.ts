import { ensure } from './ensure.ts'
import type { StateChange } from './read-books.ts'

/** The allowed transitions, including those after a bank sends a refund back. */
const transitions: Record<StateChange['kind'], Record<string, readonly string[]>> = {
  orders: {
    pending: ['paid', 'failed', 'cancelled', 'expired'],
    failed: ['paid'],
    cancelled: ['paid'],
    expired: ['paid'],
    paid: ['partially_refunded', 'refunded', 'charged_back'],
    partially_refunded: ['refunded', 'charged_back', 'paid'],
    refunded: ['partially_refunded', 'paid'],
    charged_back: ['paid', 'partially_refunded'],
  },
  payment_attempts: {
    started: ['requires_action', 'processing', 'unknown', 'succeeded', 'failed', 'cancelled'],
    unknown: ['requires_action', 'processing', 'succeeded', 'failed', 'cancelled'],
    requires_action: ['processing', 'succeeded', 'failed', 'cancelled'],
    processing: ['succeeded', 'failed', 'cancelled'],
  },
  subscriptions: {
    incomplete: ['active', 'expired'],
    active: ['past_due', 'ended'],
    past_due: ['active', 'ended'],
  },
  refunds: { started: ['succeeded', 'failed'], succeeded: ['failed'] },
}

/** Checks that a state has changed along a listed transition. */
export function checkChange(change: StateChange): void {
  const allowed = transitions[change.kind][change.was] ?? []
  ensure(allowed.includes(change.is), 'states change along the listed transitions', change)
}
