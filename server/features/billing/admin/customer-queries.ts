import { sql, type RawBuilder } from 'kysely'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Db } from '#server/tables.ts'

/** SQL expression: the e-mail address of a user's latest order with an address, or null. It is not verified. */
export const latestOrderEmail = (userId: RawBuilder<string>) =>
  sql<string | null>`(SELECT orders.email FROM orders WHERE orders.user_id = ${userId} AND orders.email <> ''
    ORDER BY orders.created_at DESC, orders.id LIMIT 1)`

export async function selectLatestOrderEmail(db: Db, userId: string): Promise<string | null> {
  const { email } = await db
    .selectNoFrom(latestOrderEmail(sql`${userId}`).as('email'))
    .executeTakeFirstOrThrow()
  return email
}

/** Returns the ids of the users who have an order with the given e-mail address. The comparison ignores case. */
export async function selectCustomerIdsByEmail(db: Db, email: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('orders')
    .select('user_id')
    .distinct()
    .where(sql<string>`lower(email)`, '=', emailLookupKey(email))
    .limit(limit)
    .execute()
  return rows.map(({ user_id }) => user_id)
}
