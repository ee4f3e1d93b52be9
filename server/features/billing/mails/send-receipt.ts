import { bcp47Tags, textInLanguage, storedLanguageOrDefault, type Language } from '#contract/languages.ts'
import { formatMoney } from '#contract/money.ts'
import { isGuest } from '#server/features/members/members.ts'
import { formatDay, type DateReader } from '#server/i18n/format-day.ts'
import type { ReceiptValues } from '#server/i18n/compose-receipt.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import { dayMs } from '#server/platform/clock.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { loadNextCharge } from '#server/features/billing/records/renewals/next-charge.ts'
import { makeOrderLink } from './order-links.ts'
import { isRenewal, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import { selectReceipt, type ReceiptRow } from './receipt-queries.ts'
import { selectSubscriptionForRenewal } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { splitTax } from './split-tax.ts'
import { withdrawalDeadline } from '#server/features/billing/records/withdrawal-right.ts'

type ReceiptContext = Pick<BillingContext, 'operator' | 'publicUrl' | 'clock' | 'languages'>

/** Lifetime of a claim link: 400 days, as for the cookie of a guest. */
const claimLinkLifetimeMs = 400 * dayMs

/**
 * Mails the receipt of a paid order, in the transaction that marks the order as paid, so that it is sent exactly once.
 * A guest's receipt has a link that claims the purchase for an account. A plan's receipt has a link that cancels the
 * renewals without a sign-in.
 */
export async function sendReceipt(context: ReceiptContext, tx: Tx, order: OrderRow): Promise<void> {
  const row = await selectReceipt(tx, order.id)
  if (!row?.paid_at || row.email === '') return
  const language = storedLanguageOrDefault(row.language, context.languages())
  const reader = { language, timeZone: row.time_zone }
  const values: ReceiptValues = {
    ...productValues(row, language),
    ...priceValues(context, row, language),
    ...sellerValues(context),
    ...withdrawalValues(row, reader),
    ...(await renewalValues(context, tx, row, reader)),
    order: row.id,
    date: formatDay(row.paid_at, reader),
    renewed: isRenewal(order) ? 'yes' : '',
    area: `${context.publicUrl}/my`,
    withdraw: `${context.publicUrl}/my#withdraw`,
    claim: isGuest(row) ? await createClaimLink(context, tx, row) : '',
  }
  await queueMail(tx, { to: row.email, template: 'receipt', values: { ...values }, language })
}

function productValues({ kind, titles, number, names, period_days }: ReceiptRow, language: Language) {
  return {
    kind,
    title: titles ? textInLanguage(titles, language) : '',
    number: String(number ?? ''),
    plan: names ? textInLanguage(names, language) : '',
    days: String(period_days ?? ''),
  }
}

function priceValues({ operator }: ReceiptContext, row: ReceiptRow, language: Language) {
  const rate = row.tax_rate ?? operator.taxRate
  const discount = row.discount_cents ?? 0
  const paid = row.amount_cents - discount
  const { netCents, taxCents } = splitTax(paid, rate)
  const money = (cents: number) => formatMoney(cents, row.currency, language)
  return {
    net: money(netCents),
    tax: money(taxCents),
    total: money(paid),
    discount: discount > 0 ? money(discount) : '',
    rate: formatPercent(rate, language),
  }
}

function formatPercent(rate: number, language: Language): string {
  const options = { style: 'percent', maximumFractionDigits: 2 } as const
  return new Intl.NumberFormat(bcp47Tags[language], options).format(rate / 10_000)
}

function sellerValues({ operator: { name, site, address, taxNumber } }: ReceiptContext) {
  return { seller: name ?? site, address: address ?? '', taxNumber: taxNumber ?? '' }
}

function withdrawalValues(row: ReceiptRow, reader: DateReader) {
  const until = withdrawalDeadline(row)
  return {
    withdrawUntil: until ? formatDay(until, reader) : '',
    atOnce: row.consent?.immediate_delivery ? 'yes' : '',
  }
}

/** Returns the end of a plan's paid period, its next charge, and the link that cancels the renewals. */
async function renewalValues(
  context: ReceiptContext,
  tx: Tx,
  { id, subscription_id }: ReceiptRow,
  reader: DateReader,
) {
  const row = subscription_id === null ? undefined : await selectSubscriptionForRenewal(tx, subscription_id)
  const next = row && (await loadNextCharge(tx, row))
  return {
    until: row?.period_ends_at ? formatDay(row.period_ends_at, reader) : '',
    renewsOn: next ? formatDay(next.at, reader) : '',
    renewPrice: next ? formatMoney(next.cents, next.currency, reader.language) : '',
    renewDays: String(next?.plan.period_days ?? ''),
    cancel: next ? await makeOrderLink(tx, context, { purpose: 'cancel', orderId: id, expiresAt: null }) : '',
  }
}

function createClaimLink(context: ReceiptContext, tx: Tx, { id }: ReceiptRow): Promise<string> {
  const expiresAt = new Date(context.clock.now().getTime() + claimLinkLifetimeMs)
  return makeOrderLink(tx, context, { purpose: 'claim', orderId: id, expiresAt })
}
