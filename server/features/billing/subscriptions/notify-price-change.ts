import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import { dayMs } from '#server/platform/clock.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import {
  selectOrderOfPeriod,
  selectSubscriptionForRenewal,
  takeDuePriceNotices,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { priceNoticeMs } from '#server/features/billing/records/price-queries.ts'
import { sendSubscriptionMail } from '#server/features/billing/mails/send-subscription-mail.ts'

const batch = 50

/**
 * Notifies subscribers that the price of their plan has risen, and from which period the new price applies. Several
 * processes may run this job concurrently, because one transaction writes the mail and the record of the notice.
 */
export async function notifyPriceChange(context: BillingContext): Promise<void> {
  for (let notifiedCount = batch; notifiedCount === batch;) {
    notifiedCount = await inTransaction(context.db, async (tx) => {
      const appliesFrom = new Date(context.clock.now().getTime() + priceNoticeMs)
      const due = await takeDuePriceNotices(tx, appliesFrom, batch)
      for (const one of due) await sendPriceChangeMail(context, tx, { ...one, from: appliesFrom })
      return due.length
    })
  }
}

async function sendPriceChangeMail(
  context: BillingContext,
  tx: Tx,
  { id, cents, from }: { id: string; cents: number; from: Date },
): Promise<void> {
  const row = await selectSubscriptionForRenewal(tx, id)
  const currentOrder = row && (await selectOrderOfPeriod(tx, id, row.period_no))
  if (!currentOrder || !row.period_ends_at) return
  await sendSubscriptionMail(tx, context, 'priceRises', {
    to: row.email ?? currentOrder.email,
    language: row.language,
    timeZone: row.time_zone,
    plan: row,
    cents,
    currency: row.currency,
    orderId: currentOrder.id,
    date: firstPeriodFrom(row.period_ends_at, row.period_days, from),
  })
}

/** Returns the start of the first period that begins at `from` or later. */
function firstPeriodFrom(endsAt: Date, days: number, from: Date): Date {
  const missing = Math.max(0, from.getTime() - endsAt.getTime())
  return new Date(endsAt.getTime() + Math.ceil(missing / (days * dayMs)) * days * dayMs)
}
