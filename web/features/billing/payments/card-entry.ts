import type { ComponentType } from 'react'
import type { NextStep } from '#contract/billing.ts'
import type { BillingDetails } from './billing-details.ts'

/** The state of an order or of a change of payment method on our server. */
export interface PurposeState {
  status: string
  next: NextStep
}

/** The purpose of a card entry: paying an order, or changing the payment method. */
export interface PaymentPurpose<T extends PurposeState> {
  /** The order or change on our server; null before it exists. */
  current: T | null
  /** Sends the gateway's token for the card to our server; without a token, requests the intent to confirm with the card. */
  send(token: string | undefined, details: BillingDetails): Promise<T>
  /** Makes our server read the result from the gateway, by the gateway's reference. */
  read(made: T, reference: string, details: BillingDetails): Promise<T>
}

/** The operations of a form on a card that it never sees. */
export interface CardEntry {
  /** Marks the fields known to be incomplete and, if `focusFirst`, focuses the first. @returns whether all are complete */
  check(focusFirst: boolean): boolean
  /** Gives the card to the gateway. @returns the resulting state, or null if a field has been marked as invalid */
  submit<T extends PurposeState>(purpose: PaymentPurpose<T>, details: BillingDetails): Promise<T | null>
}

/** A gateway's card fields. They call `onEntry` with a card entry once they accept input, and with null when they no longer do. */
export type CardFields = ComponentType<{ onEntry: (entry: CardEntry | null) => void }>
