import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

export async function selectUsedIntroductoryPrice(db: Db, hash: string) {
  return db.selectFrom('used_intro_prices').select('order_id').where('hash', '=', hash).executeTakeFirst()
}

/**
 * Claims the introductory prices with these hashes for an order. Concurrent claims of the same hash wait for each
 * other.
 * @returns whether no other order has claimed any of the hashes
 */
export async function claimIntroductoryPrices(
  tx: Tx,
  orderId: string,
  hashes: readonly string[],
): Promise<boolean> {
  await tx
    .insertInto('used_intro_prices')
    // The hashes are sorted, so that concurrent claims cannot deadlock.
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
