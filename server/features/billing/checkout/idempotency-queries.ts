import { sql, type Selectable } from 'kysely'
import type { Db } from '#server/tables.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type IdempotencyKeyRow = Pick<
  Selectable<tables.IdempotencyKeysTable>,
  'call' | 'body_hash' | 'reserved_id' | 'holder' | 'answer'
>

interface KeyClaim {
  user_id: string
  key: string
  call: string
  body_hash: string
  reserved_id: string
  holder: string
  /** By the site's clock, which `deleteOldKeys` uses. */
  created_at: Date
  /** Length of the lease, by the database's clock, which all processes share. */
  seconds: number
}

/**
 * Claims a new key, or one whose holder let its lease expire without an answer.
 * @returns the current row; the caller has the key if `holder` is its own
 */
export async function claimKey(
  db: Db,
  { seconds, ...claim }: KeyClaim,
): Promise<IdempotencyKeyRow | undefined> {
  const held_until = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`
  const claimed = await db
    .insertInto('idempotency_keys')
    .values({ ...claim, held_until })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'key'])
        .doUpdateSet({ holder: claim.holder, held_until })
        .where('idempotency_keys.answer', 'is', null)
        .where('idempotency_keys.held_until', '<', sql<Date>`clock_timestamp()`)
        .where('idempotency_keys.call', '=', claim.call)
        .where('idempotency_keys.body_hash', '=', claim.body_hash),
    )
    .returning(['call', 'body_hash', 'reserved_id', 'holder', 'answer'])
    .executeTakeFirst()
  return claimed ?? selectKey(db, claim.user_id, claim.key)
}

function selectKey(db: Db, userId: string, key: string) {
  return db
    .selectFrom('idempotency_keys')
    .select(['call', 'body_hash', 'reserved_id', 'holder', 'answer'])
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Extends the lease of a key, or (0 seconds) releases it. */
export async function extendKeyLease(
  db: Db,
  holder: string,
  userId: string,
  key: string,
  seconds: number,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ held_until: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})` })
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('holder', '=', holder)
    .where('answer', 'is', null)
    .execute()
}

export async function storeKeyAnswer(
  db: Db,
  holder: string,
  userId: string,
  key: string,
  answer: object,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ answer: JSON.stringify(answer) })
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('holder', '=', holder)
    .execute()
}

export async function deleteOldKeys(db: Db, createdBefore: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<', createdBefore).execute()
}
