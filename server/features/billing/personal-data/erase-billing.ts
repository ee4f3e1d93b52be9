import { forfeitBalance } from '#server/features/billing/balance/balance.ts'
import { deleteAutoUnlocks } from '#server/features/billing/balance/lot-queries.ts'
import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import { cancelMailsAbout } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import { pollMethodSetupsSoon } from '#server/features/billing/records/method-setup-queries.ts'
import { queueMethodsDetach } from '#server/features/billing/records/method-queries.ts'
import {
  anonymiseOrders,
  pollPaymentsSoon,
  deleteIdempotencyKeys,
  selectOrderIds,
  selectPendingOrders,
  selectUnfinishedSubscriptions,
} from './personal-data-queries.ts'
import { deleteOrderLinks } from '#server/features/billing/mails/order-link-queries.ts'
import { queueCustomerDeletions } from '#server/features/billing/records/gateway-customer-queries.ts'
import { lockBuyer, transitionOrder } from '#server/features/billing/records/order-queries.ts'
import { transitionSubscription } from '#server/features/billing/records/renewals/subscription-queries.ts'

/**
 * Erases the billing data of a user who deletes the account. Ends subscriptions immediately, cancels open orders and
 * forfeits the rest of the balance. The janitor later deletes payment methods, name and address at the gateways.
 * Deletes e-mail addresses and attribution from orders, cancels unsent mails about orders, and invalidates the links in
 * earlier mails. Orders, amounts and agreed terms remain for the ledger. Idempotent.
 */
export async function eraseBilling(tx: Tx, userId: string, now: Date): Promise<void> {
  await lockBuyer(tx, userId)
  for (const { id, status } of await selectUnfinishedSubscriptions(tx, userId))
    if (status === 'incomplete') await transitionSubscription(tx, id, 'expired')
    else await transitionSubscription(tx, id, 'ended', { ended_at: now })
  for (const { id } of await selectPendingOrders(tx, userId)) await transitionOrder(tx, id, 'cancelled')
  await eraseBalance(tx, userId, now)
  await pollPaymentsSoon(tx, userId, now)
  await pollMethodSetupsSoon(tx, userId, now)
  await queueMethodsDetach(tx, userId, now)
  await queueCustomerDeletions(tx, userId, now)
  await cancelMailsAbout(tx, await selectOrderIds(tx, userId))
  await anonymiseOrders(tx, userId, now)
  await deleteOrderLinks(tx, userId)
  await deleteIdempotencyKeys(tx, userId)
}

async function eraseBalance(tx: Tx, userId: string, now: Date): Promise<void> {
  await deleteAutoUnlocks(tx, userId)
  const forfeited = await forfeitBalance(tx, userId, now)
  if (Object.keys(forfeited).length > 0)
    await writeAuditEvent(tx, { event: 'balance_forfeited', userId, at: now, details: { cents: forfeited } })
}
