/** 13 to 19 digits, written as people write them. */
const digitRuns = /(?<!\d)\d(?:[ .+-]?\d){12,18}(?!\d)/g

/** Whether a text holds what may be a card number: such a run of digits that passes Luhn (billing.md, "PCI"). */
export function hasCardNumber(text: string): boolean {
  return text.match(digitRuns)?.some(passesLuhn) ?? false
}

/** A text with every such number blanked, for what is kept or logged. */
export function withoutCardNumbers(text: string): string {
  return text.replace(digitRuns, (run) => (passesLuhn(run) ? '[number]' : run))
}

function passesLuhn(run: string): boolean {
  const digits = run.replaceAll(/\D/g, '')
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}
