import type { ComponentType } from 'react'
import type { Order } from '#contract/billing.ts'
import type { Person } from './person.ts'

/** What our form can do with a card that it never sees. */
export interface CardEntry {
  /** Marks what is known to be unfinished, and goes to the first of it where it is told to. @returns whether nothing is */
  check(goThere: boolean): boolean
  /** Gives the card to the gateway. @returns the order then, or null where a field has been marked that is to be mended */
  pay(order: Order, person: Person): Promise<Order | null>
}

/** A gateway's fields for a card. They tell what can be done with it once it can be typed, and null when it no longer can. */
export type CardFields = ComponentType<{ onEntry: (entry: CardEntry | null) => void }>
