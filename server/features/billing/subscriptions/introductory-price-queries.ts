import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

export async function selectUsedIntroductoryPrice(db: Db, hash: string) {
  return db.selectFrom('used_intro_prices').select('order_id').where('hash', '=', hash).executeTakeFirst()
}

/**
 * Records that an order used the introductory price with each of these hashes. Concurrent calls with the same hash wait
 * for each other.
 * @returns false if another order has used the introductory price with one of the hashes
 */
export async function claimIntroductoryPrices(
  tx: Tx,
  orderId: string,
  hashes: readonly string[],
): Promise<boolean> {
  await tx
    .insertInto('used_intro_prices')
    // The hashes are sorted, so that concurrent calls cannot deadlock.
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
