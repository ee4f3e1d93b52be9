import { sql } from 'kysely'
import { foldEmail } from '#server/platform/email-address.ts'
import type { Db } from '#server/tables.ts'

/** The people with orders of an address, compared without case. */
export async function selectBuyers(db: Db, email: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('orders')
    .select('user_id')
    .distinct()
    .where(sql<string>`lower(email)`, '=', foldEmail(email))
    .limit(limit)
    .execute()
  return rows.map(({ user_id }) => user_id)
}
