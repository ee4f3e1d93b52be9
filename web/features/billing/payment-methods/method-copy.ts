import type { Translate } from '#web/i18n/index.ts'
import type { Membership } from '#contract/members.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { money } from '#web/lib/format-money.ts'

/** Display names of the card brands. */
export const brands: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
}

/**
 * Returns the name of a subscription's payment method, such as "Visa ending in 4242" or a wallet's name; '' if there is
 * none.
 */
export function methodName(t: Translate, { method }: Pick<Membership, 'method'>): string {
  if (!method) return ''
  const { brand, last4 } = method
  if (last4 === null) return t(brand === 'paypal' ? 'pay.paypal' : 'pay.wallet')
  return t('method.card', { brand: brands[brand ?? ''] ?? t('pay.card'), last4 })
}

/** Describes the next charge of a subscription: date and amount. */
export function nextChargeText(t: Translate, membership: Membership): string {
  const { status, plan, next_plan, owed, grace_until, renews_at, ends_at, cancel_at_period_end } = membership
  const due = (status === 'past_due' ? owed : next_plan) ?? plan
  if (!due || cancel_at_period_end) return ''
  const price = money(due.price_cents, due.currency)
  if (status === 'past_due') return t('method.amountDue', { price, date: formatLongDate(grace_until) })
  return t('method.nextCharge', { price, date: formatLongDate(renews_at ?? ends_at) })
}
