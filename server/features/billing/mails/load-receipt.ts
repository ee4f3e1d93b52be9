import type { Receipt } from '#contract/consumer-rights.ts'
import { Refusal } from '#contract/errors.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { loadNextCharge } from '#server/features/billing/records/renewals/next-charge.ts'
import { selectReceipt } from './receipt-queries.ts'
import { selectSubscriptionForRenewal } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { splitTax } from './split-tax.ts'
import { withdrawalDeadline } from '#server/features/billing/records/withdrawal-right.ts'

/** Loads the receipt of a paid order. @throws Refusal notFound for an unpaid order, or an order of another user */
export async function loadReceipt(
  { db, clock, operator }: Pick<BillingContext, 'db' | 'clock' | 'operator'>,
  userId: string,
  orderId: string,
): Promise<Receipt> {
  const row = await selectReceipt(db, orderId)
  if (row?.user_id !== userId || !row.paid_at) throw new Refusal('notFound')
  const subscription =
    row.subscription_id === null ? undefined : await selectSubscriptionForRenewal(db, row.subscription_id)
  const live = subscription?.status === 'active' && subscription.period_no === row.period_no
  const next = live ? await loadNextCharge(db, subscription) : null
  const rate = row.tax_rate ?? operator.taxRate
  const { amount_cents, refunded_cents, discount_cents } = row
  // Bonus is a discount, so it is not taxed. Refunds return the paid money before the bonus.
  const remainingCents = Math.max(0, amount_cents - (discount_cents ?? 0) - refunded_cents)
  const { netCents, taxCents } = splitTax(remainingCents, rate)
  const until = withdrawalDeadline(row)
  return {
    order_id: row.id,
    paid_at: row.paid_at.toISOString(),
    email: row.email,
    seller: {
      name: operator.name ?? operator.site,
      address: operator.address ?? null,
      tax_number: operator.taxNumber ?? null,
    },
    currency: row.currency,
    amount_cents,
    refunded_cents,
    ...(discount_cents ? { discount_cents } : {}),
    net_cents: netCents,
    tax_cents: taxCents,
    tax_percent: rate / 100,
    renewal: next && {
      at: next.at.toISOString(),
      price_cents: next.cents,
      currency: next.currency,
      period_days: next.plan.period_days,
    },
    withdrawable_until: until && until > clock.now() ? until.toISOString() : null,
  }
}
