import type { CardEntry } from './card-entry.ts'
import type { Choice } from './choices.ts'

/** The user's billing details, as far as the wallet knows them. */
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
  /** Shows in the sheet that the payment has failed. */
  paymentFailed(): void
  /** Closes the sheet, if it does not close by itself. */
  finish(): void
  /** Sends the approved payment to the gateway. */
  entry: CardEntry
}

/**
 * Events of a wallet's button and sheet. The wallets of all gateways have the events of Stripe's Express Checkout
 * Element.
 */
export interface WalletEvents {
  /** Called with true when the button can be pressed, with false if this browser has no wallet. */
  ready(available: boolean): void
  /** Called if it could not be determined whether this browser has a wallet. */
  failed(): void
  click(click: WalletClick): void
  confirm(approval: Approval): void
  cancel(): void
}

/** A mounted express wallet. */
export interface ExpressWallet {
  /** Sets the item to buy and its price. */
  change(choice: Choice): void
  /** Closes the sheet if it can be closed from outside. */
  cancel(): void
  /** Focuses the button, if the browser does not restore the focus by itself. */
  focus(): void
  remove(): void
}

export interface WalletSettings {
  container: HTMLElement
  choice: Choice
  events: WalletEvents
}

/**
 * Returns whether a gateway supports express wallets. Whether this browser has such a wallet is known only after the
 * gateway's script has loaded.
 */
export const hasExpress = (gateway: string): boolean => gateway !== 'paypal'
