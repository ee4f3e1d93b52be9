import { moneyWords } from '#contract/money.ts'
import { currentLanguage } from './language.ts'

/** Integer cents as money with two decimals, in the language of the screens. */
export const money = (cents: number, currency: string): string =>
  moneyWords(cents, currency, currentLanguage())
