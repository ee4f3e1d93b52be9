import { formatMoney } from '#contract/money.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectLanguageOf, type OrderRow } from '#server/features/billing/records/order-queries.ts'

/** Notifies the buyer by mail that a lost purchase was restored. */
export async function sendOrderRestoredMail(
  { publicUrl, languages }: Pick<BillingContext, 'publicUrl' | 'languages'>,
  tx: Tx,
  order: OrderRow,
): Promise<void> {
  if (order.email === '') return
  const language = await selectLanguageOf(tx, order.user_id, languages())
  await queueMail(tx, {
    to: order.email,
    template: 'orderRestored',
    values: {
      link: `${publicUrl}/my`,
      amount: formatMoney(order.amount_cents, order.currency, language),
      order: order.id,
    },
    language,
  })
}
