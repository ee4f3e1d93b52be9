import { formatRoundedMoney } from '#contract/money.ts'
import type { Translate } from '#web/i18n/index.ts'
import { currentLanguage } from '#web/lib/language.ts'
import { money } from '#web/lib/format-money.ts'
import type { Choice } from './choices.ts'

const daysOfMonth = 365 / 12

/**
 * Returns a plan's price per month, to compare plans of different lengths. Returns '' for a monthly plan, and for a
 * choice that is not a plan.
 */
export function monthlyPriceText(
  t: Translate,
  { renews, currency }: Pick<Choice, 'renews' | 'currency'>,
): string {
  if (!renews || (renews.days >= 28 && renews.days <= 31)) return ''
  const cents = (renews.cents / renews.days) * daysOfMonth
  return t('pay.perMonth', { price: formatRoundedMoney(cents, currency, currentLanguage()) })
}

/**
 * Summarizes the renewals of a plan, for a list that also shows the price charged now: "First 7 days, then $9.99 every
 * 7 days. About $43.41 a month."
 */
export function planSummary(t: Translate, choice: Pick<Choice, 'renews' | 'regular' | 'currency'>): string {
  const { renews, regular, currency } = choice
  if (!renews) return ''
  const days = t('pay.days', { count: renews.days })
  const price = money(renews.cents, currency)
  const period = regular
    ? t('pay.introPeriod', { days, price, count: renews.days })
    : t('pay.period', { days, count: renews.days })
  return `${period} ${monthlyPriceText(t, choice)}`.trim()
}
