import type { ComponentType } from 'react'
import type { NextStep } from '#contract/billing.ts'
import type { BillingDetails } from './billing-details.ts'

/** The state of an order or of a change of payment method on our server. */
export interface PurposeState {
  status: string
  next: NextStep
}

/** What a card is entered for: the payment of an order, or a change of payment method. */
export interface PaymentPurpose<T extends PurposeState> {
  /** What our server has of it; null before it has anything. */
  made: T | null
  /** Gives our server the token that the gateway gave for the card; without one, asks it for what the card is given to. */
  send(token: string | undefined, details: BillingDetails): Promise<T>
  /** Has our server read what became of it at the gateway, by the gateway's name for it. */
  read(made: T, name: string, details: BillingDetails): Promise<T>
}

/** What our forms can do with a card that they never see. */
export interface CardEntry {
  /** Marks what is known to be unfinished, and goes to the first of it where it is told to. @returns whether nothing is */
  check(goThere: boolean): boolean
  /** Gives the card to the gateway. @returns how it stands then, or null where a field has been marked that is to be mended */
  give<T extends PurposeState>(purpose: PaymentPurpose<T>, details: BillingDetails): Promise<T | null>
}

/** A gateway's fields for a card. They tell what can be done with it once it can be typed, and null when it no longer can. */
export type CardFields = ComponentType<{ onEntry: (entry: CardEntry | null) => void }>
