import valid from 'card-validator'

/** 13 to 19 digits, optionally separated by spaces, dots, plus signs or hyphens. */
const digitRuns = /(?<!\d)\d(?:[ .+-]?\d){12,18}(?!\d)/g

/**
 * Returns whether a text may contain a card number: digits with a brand's prefix and length that pass the Luhn check.
 * Telephone numbers and timestamps in URLs do not match.
 */
export function hasCardNumber(text: string): boolean {
  return text.match(digitRuns)?.some(isCardNumber) ?? false
}

/** Replaces every card number in a text by `[number]`, so that the text can be stored. */
export function withoutCardNumbers(text: string): string {
  return text.replace(digitRuns, (run) => (isCardNumber(run) ? '[number]' : run))
}

const isCardNumber = (run: string) =>
  valid.number(run.replaceAll(/\D/g, ''), { luhnValidateUnionPay: true }).isValid
