import type { CardEntry } from './card-entry.ts'
import type { Choice } from './price-copy.ts'

/** What a wallet tells of the person who approved a payment. */
export interface WalletBillingDetails {
  name?: string | undefined
  email?: string | undefined
}

export interface WalletClick {
  /** Opens the wallet's sheet. */
  resolve(): void
}

export interface Approval {
  billingDetails?: WalletBillingDetails | undefined
  /** The sheet says that the payment did not go through. */
  paymentFailed(): void
  /** The sheet closes, where it does not by itself. */
  finish(): void
  /** Gives what was approved to the gateway. */
  entry: CardEntry
}

/** What happens to a wallet's button and sheet: the events of Stripe's Express Checkout Element, for every gateway. */
export interface WalletEvents {
  /** The button can be pressed, or there is no wallet in this browser. */
  ready(available: boolean): void
  /** Nobody knows whether there is one. */
  failed(): void
  click(click: WalletClick): void
  confirm(approval: Approval): void
  cancel(): void
}

/** A gateway's express wallet in its place. */
export interface ExpressWallet {
  /** What is bought from now on. */
  change(choice: Choice): void
  /** Puts the sheet away, where that can be done from outside. */
  cancel(): void
  /** Goes back to the button, where the focus does not by itself. */
  focus(): void
  remove(): void
}

export interface WalletSettings {
  place: HTMLElement
  choice: Choice
  events: WalletEvents
}

/** Whether a gateway has express wallets at all; whether this browser has one is known once it was asked. */
export const hasExpress = (gateway: string): boolean => gateway !== 'paypal'
