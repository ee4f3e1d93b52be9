import type { withdraw as withdrawCall } from '#contract/consumer-rights.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import { formatMoney } from '#contract/money.ts'
import { formatDay } from '#server/i18n/format-day.ts'
import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { setEntitlementEnd } from '#server/features/billing/subscriptions/cancel-subscription.ts'
import { endPoll } from '#server/features/billing/records/polling-queries.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { findLinkedOrder } from '#server/features/billing/mails/order-links.ts'
import {
  lockOrderOwner,
  selectLanguageOf,
  selectOrder,
  selectTimeZoneOf,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import {
  selectActiveSubscription,
  setCancelAtPeriodEnd,
} from '#server/features/billing/records/renewals/subscription-queries.ts'
import {
  markWithdrawn,
  selectContractOrders,
  selectWithdrawalRefundCents,
  takeDueWithdrawals,
} from './withdrawal-queries.ts'

const batchSize = 20

/**
 * Uses the secret of a mailed link to withdraw from the contract of an order. Commits the withdrawal and its
 * confirmation mail together. The refund follows immediately or, if it fails, in `retryWithdrawalRefunds`. Idempotent.
 * @throws Refusal linkExpired
 */
export async function withdrawByLink(
  context: BillingContext,
  secret: string,
): Promise<ResultOf<typeof withdrawCall>> {
  const { db, clock } = context
  const { id } = await findLinkedOrder(db, 'withdraw', secret, clock.now())
  const { contract, amount } = await inTransaction(db, async (tx) => {
    await lockOrderOwner(tx, id)
    const order = await selectOrder(tx, id)
    if (!order || order.erased_at) throw new Refusal('linkExpired')
    const contract = await selectContractOrders(tx, order)
    if (!order.withdrawn_at) await recordWithdrawal(context, tx, order, contract, clock.now())
    const cents = await selectWithdrawalRefundCents(
      tx,
      contract.map((each) => each.id),
    )
    return { contract, amount: { amount_cents: cents, currency: order.currency } }
  })
  for (const order of contract) await refundWithdrawal(context, order)
  return { done: true, ...amount }
}

async function recordWithdrawal(
  context: BillingContext,
  tx: Tx,
  order: OrderRow,
  contract: OrderRow[],
  now: Date,
): Promise<void> {
  const ids = contract.map(({ id }) => id)
  await markWithdrawn(tx, order, now)
  await stopRenewals(tx, order, now)
  await writeAuditEvent(tx, {
    event: 'order_withdrawn',
    userId: order.user_id,
    at: now,
    details: { order_ids: ids },
  })
  if (order.email === '') return
  const language = await selectLanguageOf(tx, order.user_id, context.languages())
  const refundCents = await selectWithdrawalRefundCents(tx, ids)
  const values = {
    link: `${context.publicUrl}/my`,
    order: order.id,
    date: formatDay(now, { language, timeZone: await selectTimeZoneOf(tx, order.user_id) }),
    amount: formatMoney(refundCents, order.currency, language),
  }
  await queueMail(tx, { to: order.email, template: 'withdrawn', values, language })
}

/** Stops further charges of the subscription. The refund later ends the current period too. */
async function stopRenewals(tx: Tx, order: OrderRow, now: Date): Promise<void> {
  if (order.subscription_id === null) return
  const subscription = await selectActiveSubscription(tx, order.user_id, now)
  if (subscription?.id !== order.subscription_id) return
  await setCancelAtPeriodEnd(tx, subscription.id, true, now)
  await setEntitlementEnd(tx, subscription, true)
}

/**
 * Refunds an order of a withdrawn contract. Logs a failure (for example because of a dispute) and does not throw it.
 * @returns false if the refund must be retried
 */
async function refundWithdrawal(context: BillingContext, order: Pick<OrderRow, 'id'>): Promise<boolean> {
  try {
    await refundOrder(context, order.id, { reason: 'withdrawal' })
    return true
  } catch (error) {
    // Everything has already been refunded.
    if (error instanceof Refusal && error.reason === 'notRefundable') return true
    context.log.error(
      { err: error, order: order.id },
      'the refund of a withdrawal failed and will be retried',
    )
    return false
  }
}

/**
 * Retries refunds of withdrawals that failed or were interrupted. The number of retries is limited and the intervals
 * grow.
 */
export async function retryWithdrawalRefunds(context: BillingContext): Promise<void> {
  const { db, clock, log } = context
  const now = clock.now()
  const nextPollAt = (polls: number) => nextPoll(polls, now)
  const due = await inTransaction(db, (tx) =>
    takeDueWithdrawals(tx, { now, limit: batchSize, next: nextPollAt }),
  )
  for (const { id, poll_count } of due) {
    const isRefunded = await refundWithdrawal(context, { id })
    if (nextPollAt(poll_count + 1) !== null) continue
    await endPoll(db, 'orders', { id }, now, 'next_withdrawal_refund_at')
    if (isRefunded) continue
    log.error({ order: id }, 'the refund of a withdrawal failed after the last retry; refund it manually')
  }
}
