import { Refusal } from '#contract/errors.ts'
import { hasCardNumber } from '#server/platform/card-number.ts'

export { checkEmail, checkName } from '#server/features/members/members.ts'

/** Ids and tokens may hold long runs of digits by chance; they are one word with an underscore before more signs than a card has. */
const idShape = /^[a-z]+(_[a-z]+)*_[A-Za-z0-9]{20,}$/

/**
 * Refuses a body that holds a card number anywhere (billing.md, "The card form and PCI").
 * @throws Refusal cardNumberInBody
 */
export function refuseCardNumber(value: unknown): void {
  if (typeof value === 'object' && value !== null) return Object.values(value).forEach(refuseCardNumber)
  if (typeof value !== 'string' && typeof value !== 'number') return
  const text = String(value)
  if (idShape.test(text)) return
  if (hasCardNumber(text)) throw new Refusal('cardNumberInBody')
}
