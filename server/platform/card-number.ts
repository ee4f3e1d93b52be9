import valid from 'card-validator'

/** As many digits as a card has, written as people write them. */
const digitRuns = /(?<!\d)\d(?:[ .+-]?\d){12,18}(?!\d)/g

/**
 * Whether a text holds what may be a card number (billing.md, "PCI"): digits that begin as a brand's do, are as many and pass
 * Luhn. A telephone number or a time in an address is none.
 */
export function hasCardNumber(text: string): boolean {
  return text.match(digitRuns)?.some(isCardNumber) ?? false
}

/** The text with every card number blanked, so that it can be stored. */
export function withoutCardNumbers(text: string): string {
  return text.replace(digitRuns, (run) => (isCardNumber(run) ? '[number]' : run))
}

const isCardNumber = (run: string) =>
  valid.number(run.replaceAll(/\D/g, ''), { luhnValidateUnionPay: true }).isValid
