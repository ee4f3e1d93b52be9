import valid from 'card-validator'

const uuid = /(?<![\da-z])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-z])/i

/**
 * 13 to 19 digits, optionally separated by spaces, dots, plus signs or hyphens. A UUID matches as a whole, so that its
 * digits are never tested alone.
 */
const candidates = new RegExp(`${uuid.source}|(?<!\\d)\\d(?:[ .+-]?\\d){12,18}(?!\\d)`, 'gi')

/**
 * Returns whether a text may contain a card number: digits with a brand's prefix and length that pass the Luhn check.
 * Telephone numbers, timestamps in URLs and UUIDs do not match.
 */
export function hasCardNumber(text: string): boolean {
  return text.match(candidates)?.some(isCardNumber) ?? false
}

/** Replaces every card number in a text by `[number]`, so that the text can be stored. */
export function withoutCardNumbers(text: string): string {
  return text.replace(candidates, (run) => (isCardNumber(run) ? '[number]' : run))
}

const isCardNumber = (run: string) =>
  !uuid.test(run) && valid.number(run.replaceAll(/\D/g, ''), { luhnValidateUnionPay: true }).isValid
