import { stateMachine } from './state-machine.ts'
import type { SubscriptionStatus } from '#server/features/billing/tables.ts'

/** The states of a subscription. `incomplete` waits for its first payment, for at most 23 hours. */
export const subscriptionStates = stateMachine<SubscriptionStatus>({
  incomplete: ['active', 'expired'],
  active: ['past_due', 'ended'],
  past_due: ['active', 'ended'],
  ended: [],
  expired: [],
})

/**
 * The transitions of a subscription that ended or expired only because the database had lost its payments. They are not
 * part of `subscriptionStates`, because any other late payment starts a new subscription.
 */
export const subscriptionRestorations = stateMachine<SubscriptionStatus>({
  incomplete: [],
  active: [],
  past_due: [],
  ended: ['active'],
  expired: ['active'],
})
