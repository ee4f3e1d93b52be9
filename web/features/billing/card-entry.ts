import type { ComponentType } from 'react'
import type { NextStep } from '#contract/billing.ts'
import type { Person } from './person.ts'

/** How something stands with our server that a card is given for: an order, or a change of method. */
export interface Standing {
  status: string
  next: NextStep
}

/** What a card is given for. */
export interface Errand<T extends Standing> {
  /** What our server has of it; null before it has anything. */
  made: T | null
  /** Gives our server the token that the gateway gave for the card; without one, asks it for what the card is given to. */
  send(token: string | undefined, person: Person): Promise<T>
  /** Has our server read what became of it at the gateway, by the gateway's name for it. */
  read(made: T, name: string, person: Person): Promise<T>
}

/** What our forms can do with a card that they never see. */
export interface CardEntry {
  /** Marks what is known to be unfinished, and goes to the first of it where it is told to. @returns whether nothing is */
  check(goThere: boolean): boolean
  /** Gives the card to the gateway. @returns how it stands then, or null where a field has been marked that is to be mended */
  give<T extends Standing>(errand: Errand<T>, person: Person): Promise<T | null>
}

/** A gateway's fields for a card. They tell what can be done with it once it can be typed, and null when it no longer can. */
export type CardFields = ComponentType<{ onEntry: (entry: CardEntry | null) => void }>
