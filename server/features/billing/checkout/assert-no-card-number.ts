import { Refusal } from '#contract/errors.ts'
import { hasCardNumber } from '#server/platform/card-number.ts'

/**
 * Matches ids and tokens, which may contain long runs of digits by chance: lowercase words, each followed by an
 * underscore, then at least 20 letters or digits. A card number has at most 19 digits.
 */
const idShape = /^[a-z]+(_[a-z]+)*_[A-Za-z0-9]{20,}$/

/**
 * Refuses a body that contains a card number anywhere: card numbers must never reach this server (PCI).
 * @throws Refusal cardNumberInBody
 */
export function assertNoCardNumber(value: unknown): void {
  if (typeof value === 'object' && value !== null) return Object.values(value).forEach(assertNoCardNumber)
  if (typeof value !== 'string' && typeof value !== 'number') return
  const text = String(value)
  if (idShape.test(text)) return
  if (hasCardNumber(text)) throw new Refusal('cardNumberInBody')
}
