import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { loadNextCharge } from '#server/features/billing/records/renewals/next-charge.ts'
import {
  selectOrderOfPeriod,
  selectSubscriptionForRenewal,
  takeDueReminders,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { sendSubscriptionMail } from '#server/features/billing/mails/send-subscription-mail.ts'

const batch = 50

/**
 * Reminds subscribers whose introductory price ends soon, or whose yearly plan renews soon. Several processes may run
 * this job concurrently. Each locks the subscriptions that it takes, and clears their reminders when it queues the
 * mails.
 */
export async function remindSubscribers(context: BillingContext): Promise<void> {
  for (let sent = batch; sent === batch;) {
    sent = await inTransaction(context.db, async (tx) => {
      const ids = await takeDueReminders(tx, context.clock.now(), batch)
      for (const id of ids) await sendReminder(context, tx, id)
      return ids.length
    })
  }
}

async function sendReminder(context: BillingContext, tx: Tx, id: string): Promise<void> {
  const row = await selectSubscriptionForRenewal(tx, id)
  const currentOrder = row && (await selectOrderOfPeriod(tx, id, row.period_no))
  const next = currentOrder && (await loadNextCharge(tx, row))
  if (!next) return
  await sendSubscriptionMail(tx, context, currentOrder.introductory ? 'introEnds' : 'yearlyRenews', {
    to: row.email ?? currentOrder.email,
    language: row.language,
    timeZone: row.time_zone,
    plan: next.plan,
    cents: next.cents,
    currency: next.currency,
    orderId: currentOrder.id,
    date: next.at,
  })
}
