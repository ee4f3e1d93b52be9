import type { ComponentType } from 'react'
import type { NextStep } from '#contract/billing.ts'
import type { BillingDetails } from './billing-details.ts'

/** The state of an order, or of a change of payment method, on our server. */
export interface PurposeState {
  status: string
  next: NextStep
}

/** The purpose for which a card is entered: the payment of an order, or a change of payment method. */
export interface PaymentPurpose<T extends PurposeState> {
  /** The order or change on our server; null before it exists. */
  current: T | null
  /** Sends the gateway's card token to our server; without a token, requests the intent that the card confirms. */
  send(token: string | undefined, details: BillingDetails): Promise<T>
  /** Makes our server read the result from the gateway. `reference` is the id of the intent at the gateway. */
  read(made: T, reference: string, details: BillingDetails): Promise<T>
}

/** The operations of a form on the gateway's card fields. The form never sees the card itself. */
export interface CardEntry {
  /**
   * Marks incomplete fields and, if `focusFirst`, focuses the first.
   * @returns false if a field is known to be incomplete
   */
  check(focusFirst: boolean): boolean
  /** Sends the card to the gateway. @returns the resulting state, or null if a field was marked as invalid */
  submit<T extends PurposeState>(purpose: PaymentPurpose<T>, details: BillingDetails): Promise<T | null>
}

/**
 * A gateway's card fields. They call `onEntry` with a card entry when they are ready for input, and with null when they
 * no longer are.
 */
export type CardFields = ComponentType<{ onEntry: (entry: CardEntry | null) => void }>
