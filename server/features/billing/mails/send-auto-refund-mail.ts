import { formatMoney } from '#contract/money.ts'
import { translate } from '#server/i18n/translate.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectLanguageOf, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import type { AutoRefundReason } from '#server/features/billing/tables.ts'

/**
 * Notifies the buyer by mail that a payment bought nothing and is refunded, with the reason. Sends nothing if the
 * account was deleted, because the order then has no e-mail address.
 */
export async function sendAutoRefundMail(
  { publicUrl, languages }: Pick<BillingContext, 'publicUrl' | 'languages'>,
  tx: Tx,
  order: OrderRow,
  reason: AutoRefundReason,
): Promise<void> {
  if (order.email === '') return
  const language = await selectLanguageOf(tx, order.user_id, languages())
  await queueMail(tx, {
    to: order.email,
    template: 'moneyReturned',
    values: {
      link: `${publicUrl}/my`,
      amount: formatMoney(order.amount_cents, order.currency, language),
      order: order.id,
      why: translate(language, `autoRefund.${reason}`),
    },
    language,
  })
}
