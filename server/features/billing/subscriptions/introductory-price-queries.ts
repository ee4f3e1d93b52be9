import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

export async function selectIntroductoryPrice(db: Db, hash: string) {
  return db.selectFrom('used_intro_prices').select('order_id').where('hash', '=', hash).executeTakeFirst()
}

/** Takes these for an order; who comes at the same time waits. @returns whether none of them was another's */
export async function takeIntroductoryPrices(
  tx: Tx,
  orderId: string,
  hashes: readonly string[],
): Promise<boolean> {
  await tx
    .insertInto('used_intro_prices')
    // In one order for all, so that no two wait for each other.
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
