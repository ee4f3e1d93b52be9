import { formatMoney } from '#contract/money.ts'
import { currentLanguage } from './language.ts'

/** Formats an amount in cents as money, in the interface language. */
export const money = (cents: number, currency: string): string =>
  formatMoney(cents, currency, currentLanguage())
