import type { orderKinds, orderStatuses, paymentMethods } from '#contract/billing.ts'

export type OrderKind = (typeof orderKinds)[number]
export type OrderStatus = (typeof orderStatuses)[number]
export type PaymentMethod = (typeof paymentMethods)[number]
export type AttemptStatus =
  | 'started'
  | 'requires_action'
  | 'processing'
  | 'unknown'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
export type DisputeStatus = 'open' | 'won' | 'lost'
export type SubscriptionStatus = 'incomplete' | 'active' | 'past_due' | 'ended' | 'expired'
