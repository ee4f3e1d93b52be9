import valid from 'card-validator'
import { randomHex } from '#server/platform/ids.ts'
import { cardExpiryDate } from '#server/features/billing/gateways/card-expiry.ts'
import { behaviourOf, type Behaviour } from './cards.ts'

/** A card as the user typed it. It is checked and not stored. */
export interface CardInput {
  number: string
  expiry: string
  cvv: string
}

export type CardField = keyof CardInput
export const cardFields = ['number', 'expiry', 'cvv'] as const satisfies CardField[]

/** The reason why a typed card is refused, and the field that has the mistake. */
export interface CardRefusal {
  ok: false
  field: CardField
  reason: 'numberBad' | 'testOnly' | 'expiryBad' | 'cvvBad'
}

type CardCheck =
  | { ok: true; card: { behaviour: Behaviour; brand: string; last4: string; expiresAt: Date } }
  | CardRefusal

/**
 * Checks a typed card: the Luhn digit, the length for the brand, the expiry (this month or later), and the CVV's
 * length.
 */
export function checkCard({ number, expiry, cvv }: CardInput): CardCheck {
  const digits = number.replaceAll(/[ -]/g, '')
  const { card, isValid } = valid.number(digits)
  if (!isValid || !card) return { ok: false, field: 'number', reason: 'numberBad' }
  const behaviour = behaviourOf(digits)
  if (!behaviour) return { ok: false, field: 'number', reason: 'testOnly' }
  const { isValid: isExpiryValid, month, year } = valid.expirationDate(expiry)
  if (!isExpiryValid || month === null || year === null)
    return { ok: false, field: 'expiry', reason: 'expiryBad' }
  if (!valid.cvv(cvv, card.code.size).isValid) return { ok: false, field: 'cvv', reason: 'cvvBad' }
  const expiresAt = cardExpiryDate(Number(year), Number(month))
  return { ok: true, card: { behaviour, brand: card.type, last4: digits.slice(-4), expiresAt } }
}

export function newToken(): string {
  return `stok_${randomHex()}`
}

/** Returns each brand's format and length. The form uses them to format and check the number while the user types. */
export function cardBrands() {
  const types = valid.creditCardType.getTypeInfo
  const names = Object.values(valid.creditCardType.types)
  return names.flatMap((name) => {
    const { niceType, type, patterns, gaps, lengths, code } = types(name)
    return [{ type, name: niceType, patterns, gaps, lengths, cvv: code.size }]
  })
}
