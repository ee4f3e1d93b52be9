import { forfeitBalance } from '#server/features/billing/balance/balance.ts'
import { deleteAutoUnlocks } from '#server/features/billing/balance/lot-queries.ts'
import { writeAudit } from '#server/platform/database/audit.ts'
import { cancelMailsAbout } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import { pollMethodSetupsSoon } from '#server/features/billing/records/method-setup-queries.ts'
import { retireMethods } from '#server/features/billing/records/method-queries.ts'
import {
  anonymiseOrders,
  checkPaymentsSoon,
  deleteKeys,
  selectOrderIds,
  selectPendingOrders,
  selectUnfinishedSubscriptions,
} from './personal-data-queries.ts'
import { deleteOrderLinks } from '#server/features/billing/mails/order-link-queries.ts'
import { insertCustomersToDelete } from '#server/features/billing/records/gateway-customer-queries.ts'
import { lockBuyer, moveOrder } from '#server/features/billing/records/order-queries.ts'
import { moveSubscription } from '#server/features/billing/records/renewals/subscription-queries.ts'

/**
 * Erases the billing data of a user who deletes their account: ends subscriptions now, cancels open orders, deletes payment
 * methods (here at once; the janitor deletes them at the gateway, with the name and address there), removes e-mails and traces
 * from the orders, stops pending mails about them, and invalidates links in earlier ones. Orders, amounts and the agreed terms
 * stay in the ledger, and the rest of the balance is forfeited. Idempotent.
 */
export async function eraseBilling(tx: Tx, userId: string, now: Date): Promise<void> {
  await lockBuyer(tx, userId)
  for (const { id, status } of await selectUnfinishedSubscriptions(tx, userId))
    if (status === 'incomplete') await moveSubscription(tx, id, 'expired')
    else await moveSubscription(tx, id, 'ended', { ended_at: now })
  for (const { id } of await selectPendingOrders(tx, userId)) await moveOrder(tx, id, 'cancelled')
  await eraseBalance(tx, userId, now)
  await checkPaymentsSoon(tx, userId, now)
  await pollMethodSetupsSoon(tx, userId, now)
  await retireMethods(tx, userId, now)
  await insertCustomersToDelete(tx, userId, now)
  await cancelMailsAbout(tx, await selectOrderIds(tx, userId))
  await anonymiseOrders(tx, userId, now)
  await deleteOrderLinks(tx, userId)
  await deleteKeys(tx, userId)
}

async function eraseBalance(tx: Tx, userId: string, now: Date): Promise<void> {
  await deleteAutoUnlocks(tx, userId)
  const forfeited = await forfeitBalance(tx, userId, now)
  if (Object.keys(forfeited).length > 0)
    await writeAudit(tx, { event: 'balance_forfeited', userId, at: now, details: { cents: forfeited } })
}
