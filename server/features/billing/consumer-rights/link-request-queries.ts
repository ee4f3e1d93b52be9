import { sql, type Insertable } from 'kysely'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingTables } from '#server/features/billing/tables.ts'

export async function insertLinkRequest(
  db: Db,
  request: Insertable<BillingTables['link_requests']>,
): Promise<void> {
  await db.insertInto('link_requests').values(request).execute()
}

/** SQL condition: a request is waiting for its answer. */
export const anyLinkRequests = 'EXISTS (SELECT FROM link_requests)'

/** Deletes and returns a request within the transaction. A rollback makes it available again. */
export function takeLinkRequest(tx: Tx) {
  return tx
    .deleteFrom('link_requests')
    .where('id', '=', (requests) =>
      requests.selectFrom('link_requests').select('id').orderBy('id').limit(1).forUpdate().skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}

/**
 * Returns the paid orders with the given e-mail address, and the paid orders of the account that verified this address,
 * latest first. With `order_id`, returns at most this order.
 */
export function selectPaidOrdersOf(
  db: Db,
  { email, order_id }: { email: string; order_id: string | null },
  limit: number,
) {
  const ordersOfAddress = db
    .selectFrom('orders')
    .innerJoin('users', 'users.id', 'orders.user_id')
    .selectAll('orders')
    .select([
      'users.language',
      'users.time_zone',
      // The mail is sent to the stored address, not to the typed one, because addresses that differ only in case may
      // belong to different users.
      sql<string>`CASE WHEN lower(orders.email) = ${emailLookupKey(email)} THEN orders.email ELSE users.email END`.as(
        'address',
      ),
    ])
    .where('orders.paid_at', 'is not', null)
    .where('orders.erased_at', 'is', null)
    .where('orders.id', 'in', orderIdsWithEmail(db, email).union(orderIdsOfVerifiedAccount(db, email)))
  const selectedOrders =
    order_id === null ? ordersOfAddress : ordersOfAddress.where('orders.id', '=', order_id)
  return selectedOrders.orderBy('orders.paid_at', 'desc').orderBy('orders.id').limit(limit).execute()
}

function orderIdsWithEmail(db: Db, email: string) {
  return db
    .selectFrom('orders')
    .select('id')
    .where(sql<string>`lower(email)`, '=', emailLookupKey(email))
}

function orderIdsOfVerifiedAccount(db: Db, email: string) {
  return db
    .selectFrom('users')
    .innerJoin('orders', 'orders.user_id', 'users.id')
    .select('orders.id')
    .where(sql<string>`lower(users.email)`, '=', emailLookupKey(email))
    .where('users.email', 'is not', null)
    .where('users.email_verified_at', 'is not', null)
}
