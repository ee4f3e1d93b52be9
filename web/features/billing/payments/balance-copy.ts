import '#web/i18n/balance.ts'
import type { BalanceOffer, TopUp } from '#contract/top-ups.ts'
import type { Translate } from '#web/i18n/index.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { money } from '#web/lib/format-money.ts'
import type { Choice } from './choices.ts'

const dayMs = 24 * 60 * 60_000

/** Returns a top-up as a choice with its price, bonus, expiry and refundable part. */
export function topUpChoice(t: Translate, topUp: TopUp): Choice {
  const { id, price_cents: cents, bonus_cents, currency } = topUp
  const price = money(cents, currency)
  const bonus = money(bonus_cents, currency)
  return {
    kind: 'top_up',
    id,
    name: bonus_cents > 0 ? t('balance.priceWithBonus', { price, bonus }) : price,
    text: t('balance.total', { total: money(cents + bonus_cents, currency) }),
    cents,
    bonusCents: bonus_cents,
    currency,
    terms: [
      t('balance.paidOnce', { price }),
      t('balance.paidNeverExpires'),
      bonusText(t, topUp),
      t(bonus_cents > 0 ? 'balance.withdrawalLessBonus' : 'balance.withdrawal'),
    ]
      .filter(Boolean)
      .join(' '),
  }
}

function bonusText(t: Translate, { bonus_cents, bonus_days, currency }: TopUp): string {
  if (bonus_cents === 0) return ''
  const bonus = money(bonus_cents, currency)
  if (bonus_days === undefined) return t('balance.bonusNeverExpires', { bonus })
  const date = formatLongDate(new Date(Date.now() + bonus_days * dayMs).toISOString())
  return t('balance.bonusExpires', { bonus, date })
}

/** Describes which part of a price is paid from the balance. Bonus money is spent first and shown as a discount. */
export function spendingText(
  t: Translate,
  { available_cents, bonus_cents, currency }: BalanceOffer,
  cents: number,
): string {
  const discount = Math.min(cents, bonus_cents)
  const left = money(available_cents - cents, currency)
  if (discount === 0) return t('balance.allPaid', { price: money(cents, currency), left })
  if (discount === cents) return t('balance.allBonus', { left })
  const [bonus, paid] = [money(discount, currency), money(cents - discount, currency)]
  return t('balance.withBonus', { bonus, paid, left })
}
