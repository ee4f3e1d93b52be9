import valid from 'card-validator'
import { randomBytes } from 'node:crypto'
import { behaviourOf, type Behaviour } from './cards.ts'

/** What a person typed. It is looked at and forgotten. */
export interface TypedCard {
  number: string
  expiry: string
  cvv: string
}

export type CardField = keyof TypedCard
export const cardFields = ['number', 'expiry', 'cvv'] as const satisfies CardField[]

type Checked =
  | { ok: true; card: { behaviour: Behaviour; brand: string; last4: string } }
  | { ok: false; field: CardField; message: string }

/** Checks a typed card: Luhn and the brand's length, expiry this month or later, the brand's CVV (product.md, section 6). */
export function checkCard({ number, expiry, cvv }: TypedCard): Checked {
  const digits = number.replaceAll(/[ -]/g, '')
  const { card, isValid } = valid.number(digits)
  if (!isValid || !card) return { ok: false, field: 'number', message: messages.number }
  const behaviour = behaviourOf(digits)
  if (!behaviour) return { ok: false, field: 'number', message: messages.testOnly }
  if (!valid.expirationDate(expiry).isValid) return { ok: false, field: 'expiry', message: messages.expiry }
  if (!valid.cvv(cvv, card.code.size).isValid) return { ok: false, field: 'cvv', message: messages.cvv }
  return { ok: true, card: { behaviour, brand: card.type, last4: digits.slice(-4) } }
}

export const messages = {
  number: 'Please check the card number.',
  testOnly: 'This is a test site: please use a test card such as 4242 4242 4242 4242.',
  expiry: 'Please check the date: MM / YY.',
  cvv: 'Please check the code: 3 digits, on Amex 4.',
  failed: 'The card could not be checked. Please try again.',
}

export function newToken(): string {
  return `stok_${randomBytes(16).toString('hex')}`
}

/** How each brand is written and how long it is, for the form to follow what is typed. */
export function cardBrands() {
  const types = valid.creditCardType.getTypeInfo
  const names = Object.values(valid.creditCardType.types)
  return names.flatMap((name) => {
    const { niceType, type, patterns, gaps, lengths, code } = types(name)
    return [{ type, name: niceType, patterns, gaps, lengths, cvv: code.size }]
  })
}
