import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { nextCharge } from '#server/features/billing/records/renewals/next-charge.ts'
import {
  selectOrderOfPeriod,
  selectRenewing,
  takeReminders,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { sendSubscriptionMail } from '#server/features/billing/mails/send-subscription-mail.ts'

const batch = 50

/**
 * Reminds subscribers who will soon be charged more than before, or for a year. Any number of processes may run it: a reminder
 * and the record of it are one commit.
 */
export async function remindSubscribers(context: BillingContext): Promise<void> {
  for (let sent = batch; sent === batch;) {
    sent = await inTransaction(context.db, async (tx) => {
      const ids = await takeReminders(tx, context.clock.now(), batch)
      for (const id of ids) await remind(context, tx, id)
      return ids.length
    })
  }
}

async function remind(context: BillingContext, tx: Tx, id: string): Promise<void> {
  const row = await selectRenewing(tx, id)
  const used = row && (await selectOrderOfPeriod(tx, id, row.period_no))
  const next = used && (await nextCharge(tx, row))
  if (!next) return
  await sendSubscriptionMail(tx, context, used.introductory ? 'introEnds' : 'yearlyRenews', {
    to: row.email ?? used.email,
    language: row.language,
    timeZone: row.time_zone,
    plan: next.plan,
    cents: next.cents,
    currency: next.currency,
    orderId: used.id,
    date: next.at,
  })
}
