import { stateMachine } from './state-machine.ts'
import type { AttemptStatus } from '#server/features/billing/tables.ts'

/**
 * The states of an attempt. `unknown` may change to any later state. `succeeded`, `failed` and `cancelled` are final.
 */
export const attemptStates = stateMachine<AttemptStatus>({
  started: ['requires_action', 'processing', 'unknown', 'succeeded', 'failed', 'cancelled'],
  unknown: ['requires_action', 'processing', 'succeeded', 'failed', 'cancelled'],
  requires_action: ['processing', 'succeeded', 'failed', 'cancelled'],
  processing: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
})

/** The states in which a payment may still succeed. */
export const openAttemptStatuses = [
  'started',
  'unknown',
  'requires_action',
  'processing',
] as const satisfies AttemptStatus[]

/**
 * The states in which a payment may succeed without another step of the customer. While an attempt is in one of these
 * states, its order does not expire.
 */
export const inProgressStatuses = ['started', 'unknown', 'processing'] as const satisfies AttemptStatus[]

export function isInProgress(status: AttemptStatus): boolean {
  return inProgressStatuses.some((one) => one === status)
}

export function isOpen(status: AttemptStatus): boolean {
  return openAttemptStatuses.some((open) => open === status)
}
