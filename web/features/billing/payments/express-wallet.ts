import type { CardEntry } from './card-entry.ts'
import type { Choice } from './price-copy.ts'

/** The wallet's details of the user who approved a payment. */
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
  /** Shows in the sheet that the payment failed. */
  paymentFailed(): void
  /** Closes the sheet if it does not close by itself. */
  finish(): void
  /** Gives the approved payment to the gateway. */
  entry: CardEntry
}

/** Events of a wallet's button and sheet: those of Stripe's Express Checkout Element, for every gateway. */
export interface WalletEvents {
  /** The button can be pressed (`true`), or this browser has no wallet. */
  ready(available: boolean): void
  /** It could not be determined whether there is a wallet. */
  failed(): void
  click(click: WalletClick): void
  confirm(approval: Approval): void
  cancel(): void
}

/** A mounted express wallet of a gateway. */
export interface ExpressWallet {
  /** Sets the choice to buy. */
  change(choice: Choice): void
  /** Closes the sheet if it can be closed from outside. */
  cancel(): void
  /** Focuses the button if the browser does not restore the focus. */
  focus(): void
  remove(): void
}

export interface WalletSettings {
  container: HTMLElement
  choice: Choice
  events: WalletEvents
}

/** Returns whether a gateway supports express wallets; whether this browser has one is known only after asking the gateway's script. */
export const hasExpress = (gateway: string): boolean => gateway !== 'paypal'
