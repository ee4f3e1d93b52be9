/** As much of Stripe's script as the card form makes use of (https://docs.stripe.com/js). */
export interface StripeScript {
  elements(options: { locale: string }): { create(kind: FieldKind, options: object): StripeField }
  confirmCardPayment(clientSecret: string, data: object): Promise<Confirmed>
  confirmCardSetup(clientSecret: string, data: object): Promise<Confirmed>
}

export const fieldKinds = ['cardNumber', 'cardExpiry', 'cardCvc'] as const
export type FieldKind = (typeof fieldKinds)[number]

/** One of the fields, in a frame of Stripe's own. */
export interface StripeField {
  mount(place: HTMLElement): void
  focus(): void
  on(event: 'ready' | 'focus' | 'blur', hear: () => void): unknown
  on(event: 'change', hear: (change: FieldChange) => void): unknown
}

export interface FieldChange {
  complete: boolean
  /** What can be seen to be wrong before the field is finished. */
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
