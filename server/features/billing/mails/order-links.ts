import { Refusal } from '#contract/errors.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { insertOrderLink, selectLinkedOrder } from './order-link-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import type { LinkPurpose } from '#server/features/billing/tables.ts'
import { hashSecret, newSecret } from '#server/platform/link-secrets.ts'

/** Creates a link for an order, to be mailed. The secret is in the fragment, which browsers do not send to servers. */
export async function makeOrderLink(
  tx: Tx,
  { clock, publicUrl }: Pick<BillingContext, 'clock' | 'publicUrl'>,
  { purpose, orderId, expiresAt }: { purpose: LinkPurpose; orderId: string; expiresAt: Date | null },
): Promise<string> {
  const secret = newSecret()
  await insertOrderLink(tx, {
    hash: hashSecret(secret),
    purpose,
    order_id: orderId,
    expires_at: expiresAt,
    created_at: clock.now(),
  })
  return `${publicUrl}/my#${purpose}=${secret}`
}

/**
 * Returns the order of the link with this secret.
 * @throws Refusal linkExpired, also if the link was used or is unknown
 */
export async function findLinkedOrder(
  db: Db,
  purpose: LinkPurpose,
  secret: string,
  now: Date,
): Promise<OrderRow> {
  const order = await selectLinkedOrder(db, hashSecret(secret), purpose, now)
  if (!order || order.erased_at) throw new Refusal('linkExpired')
  return order
}
