/** The part of Stripe.js that the payment page uses (https://docs.stripe.com/js). */
export interface StripeScript {
  elements(
    options: Partial<DeferredIntent> & {
      locale: string
      fonts?: { family: string; weight: string; src: string }[]
      appearance?: object
    },
  ): StripeElements
  /** Confirms a payment that was approved in a wallet, including 3-D Secure if required. */
  confirmPayment(options: {
    elements: StripeElements
    clientSecret: string
    confirmParams: { return_url: string }
    redirect: 'if_required'
  }): Promise<Confirmed>
  confirmCardPayment(clientSecret: string, data: object): Promise<Confirmed>
  /** Shows the 3-D Secure check of a payment that was confirmed on the server. */
  handleNextAction(options: { clientSecret: string }): Promise<Confirmed>
  confirmCardSetup(clientSecret: string, data: object): Promise<Confirmed>
}

export const fieldKinds = ['cardNumber', 'cardExpiry', 'cardCvc'] as const
export type FieldKind = (typeof fieldKinds)[number]

/** One of the card fields, in a frame of Stripe. */
export interface StripeField {
  mount(place: HTMLElement): void
  focus(): void
  on(event: 'ready' | 'focus' | 'blur', hear: () => void): unknown
  on(event: 'change', hear: (change: FieldChange) => void): unknown
}

/**
 * The values of a payment intent that is created after the approval in a wallet. The created intent must have the same
 * values.
 */
export interface DeferredIntent {
  mode: 'payment'
  /** In Stripe's smallest unit of the currency. */
  amount: number
  currency: string
  setupFutureUsage: 'off_session' | null
  paymentMethodTypes: string[]
}

export interface StripeElements {
  create(kind: FieldKind, options: object): StripeField
  create(kind: 'expressCheckout', options: object): ExpressElement
  update(intent: Partial<DeferredIntent>): void
  submit(): Promise<Confirmed>
}

/** The buttons of the wallets that this browser has (https://docs.stripe.com/js/element/express_checkout_element). */
export interface ExpressElement {
  mount(place: HTMLElement): void
  destroy(): void
  on(event: 'ready', hear: (ready: { availablePaymentMethods?: object | undefined }) => void): unknown
  on(event: 'click', hear: (click: { resolve(options: object): void }) => void): unknown
  on(event: 'confirm', hear: (confirm: ExpressConfirm) => void): unknown
  on(event: 'cancel' | 'loaderror', hear: () => void): unknown
}

export interface ExpressConfirm {
  billingDetails?: { name?: string; email?: string } | undefined
  paymentFailed(failure: { reason: 'fail' }): void
}

export interface FieldChange {
  complete: boolean
  /** Present if the current input is invalid. */
  error?: object
}

export interface Confirmed {
  error?: { type: string; code?: string }
}

export type OpenStripe = (publicKey: string) => StripeScript

declare global {
  interface Window {
    Stripe?: OpenStripe
  }
}
