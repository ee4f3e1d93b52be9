import { Refusal } from '#contract/errors.ts'

export { checkEmail, checkName } from '#server/features/members/members.ts'

/** Ids and tokens may hold long runs of digits by chance; they are one word with an underscore before more signs than a card has. */
const idShape = /^[a-z]+(_[a-z]+)*_[A-Za-z0-9]{20,}$/

/**
 * Refuses a body that holds a card number anywhere: 13 to 19 digits that pass Luhn (billing.md, "The card form and PCI").
 * @throws Refusal cardNumberInBody
 */
export function refuseCardNumber(value: unknown): void {
  if (typeof value === 'object' && value !== null) return Object.values(value).forEach(refuseCardNumber)
  if (typeof value !== 'string' && typeof value !== 'number') return
  const text = String(value)
  if (idShape.test(text)) return
  const runs = text.match(/(?<!\d)\d(?:[ .-]?\d){12,18}(?!\d)/g) ?? []
  if (runs.some((run) => passesLuhn(run.replaceAll(/\D/g, '')))) throw new Refusal('cardNumberInBody')
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}
