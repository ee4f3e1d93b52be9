import { formatMoney } from '#contract/money.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectLanguageOf, type OrderRow } from '#server/features/billing/records/order-queries.ts'

/**
 * Notifies the buyer by mail about a refund and its consequences. Sends nothing if the account was deleted, because the
 * order then has no e-mail address.
 */
export async function sendRefundMail(
  { publicUrl, languages }: Pick<BillingContext, 'publicUrl' | 'languages'>,
  tx: Tx,
  order: OrderRow,
  cents: number,
): Promise<void> {
  if (order.email === '') return
  const language = await selectLanguageOf(tx, order.user_id, languages())
  await queueMail(tx, {
    to: order.email,
    template: templateFor(order),
    values: {
      link: `${publicUrl}/my`,
      amount: formatMoney(cents, order.currency, language),
      order: order.id,
    },
    language,
  })
}

function templateFor({ kind, gateway, status }: OrderRow) {
  const whole = status === 'refunded'
  if (kind === 'top_up') return 'topUpRefunded'
  if (gateway === 'balance') return whole ? 'balanceRefunded' : 'balancePartlyRefunded'
  if (!whole) return 'partlyRefunded'
  return kind === 'plan' ? 'planRefunded' : 'refunded'
}
