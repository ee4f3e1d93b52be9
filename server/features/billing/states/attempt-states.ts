import { stateMachine } from './state-machine.ts'
import type { AttemptStatus } from '#server/features/billing/tables.ts'

/** billing.md, "States". What is unknown may turn out to be anything; what is final stays. */
export const attemptStates = stateMachine<AttemptStatus>({
  started: ['requires_action', 'processing', 'unknown', 'succeeded', 'failed', 'cancelled'],
  unknown: ['requires_action', 'processing', 'succeeded', 'failed', 'cancelled'],
  requires_action: ['processing', 'succeeded', 'failed', 'cancelled'],
  processing: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
})

/** The states in which an attempt may still turn out to have moved money. */
export const openAttemptStatuses = [
  'started',
  'unknown',
  'requires_action',
  'processing',
] as const satisfies AttemptStatus[]

/** The states in which a payment may succeed without anything that the person does: its order does not expire. */
export const underWayStatuses = ['started', 'unknown', 'processing'] as const satisfies AttemptStatus[]

export function isUnderWay(status: AttemptStatus): boolean {
  return underWayStatuses.some((one) => one === status)
}

export function isOpen(status: AttemptStatus): boolean {
  return openAttemptStatuses.some((open) => open === status)
}
