import type { Plan } from '#contract/billing.ts'
import type { Translate } from '#web/i18n/index.ts'
import { money } from '#web/lib/format-money.ts'

/** Describes a plan's price and renewal: "$4.99 for the first 7 days, then $9.99 every 7 days until you cancel". */
export function planTerms(t: Translate, plan: Plan): string {
  const { price_cents, intro_price_cents, currency, period_days } = plan
  if (intro_price_cents === undefined) return renewalTerms(t, plan)
  const price = money(price_cents, currency)
  const days = t('pay.days', { count: period_days })
  const intro = money(intro_price_cents, currency)
  return t('pay.introThen', { intro, price, days, count: period_days })
}

/** Describes the renewals of a plan, without an introductory price: "$9.99 every 7 days until you cancel". */
export function renewalTerms(
  t: Translate,
  { price_cents, currency, period_days }: Pick<Plan, 'price_cents' | 'currency' | 'period_days'>,
): string {
  const [price, days] = [money(price_cents, currency), t('pay.days', { count: period_days })]
  return t('pay.renewsEvery', { price, days, count: period_days })
}
