import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

export async function selectUsedIntroductoryPrice(db: Db, hash: string) {
  return db.selectFrom('used_intro_prices').select('order_id').where('hash', '=', hash).executeTakeFirst()
}

/** Claims these hashes for an order; concurrent claims wait. @returns whether none of them belonged to another order */
export async function claimIntroductoryPrices(
  tx: Tx,
  orderId: string,
  hashes: readonly string[],
): Promise<boolean> {
  await tx
    .insertInto('used_intro_prices')
    // Sorted, so that concurrent claims cannot deadlock.
    .values(hashes.toSorted().map((hash) => ({ hash, order_id: orderId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const other = await tx
    .selectFrom('used_intro_prices')
    .select('hash')
    .where(sql<boolean>`hash = ANY(${hashes})`)
    .where('order_id', '<>', orderId)
    .limit(1)
    .executeTakeFirst()
  return other === undefined
}
