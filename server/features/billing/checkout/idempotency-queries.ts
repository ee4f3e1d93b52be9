import { sql, type Selectable } from 'kysely'
import { deleteExpired, type PurgeOptions } from '#server/platform/database/delete-expired.ts'
import type { Db } from '#server/tables.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type IdempotencyKeyRow = Pick<
  Selectable<tables.IdempotencyKeysTable>,
  'request_path' | 'request_hash' | 'reserved_id' | 'lease_owner' | 'response'
>

interface KeyClaim {
  user_id: string
  key: string
  request_path: string
  request_hash: string
  reserved_id: string
  lease_owner: string
  /** The creation time by the site's clock. `deleteOldKeys` uses the same clock. */
  created_at: Date
  /** Length of the lease in seconds. The database's clock measures it, because all processes share that clock. */
  seconds: number
}

/**
 * Claims a new idempotency key, or a key whose lease expired before the lease owner stored a response.
 * @returns the current row; the claim succeeded if the row has the caller's `lease_owner`
 */
export async function claimKey(
  db: Db,
  { seconds, ...claim }: KeyClaim,
): Promise<IdempotencyKeyRow | undefined> {
  const lease_expires_at = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`
  const claimed = await db
    .insertInto('idempotency_keys')
    .values({ ...claim, lease_expires_at })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'key'])
        .doUpdateSet({ lease_owner: claim.lease_owner, lease_expires_at })
        .where('idempotency_keys.response', 'is', null)
        .where('idempotency_keys.lease_expires_at', '<', sql<Date>`clock_timestamp()`)
        .where('idempotency_keys.request_path', '=', claim.request_path)
        .where('idempotency_keys.request_hash', '=', claim.request_hash),
    )
    .returning(['request_path', 'request_hash', 'reserved_id', 'lease_owner', 'response'])
    .executeTakeFirst()
  return claimed ?? selectKey(db, claim.user_id, claim.key)
}

function selectKey(db: Db, userId: string, key: string) {
  return db
    .selectFrom('idempotency_keys')
    .select(['request_path', 'request_hash', 'reserved_id', 'lease_owner', 'response'])
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Extends the lease of a key by the given seconds; 0 releases the key. */
export async function extendKeyLease(
  db: Db,
  leaseOwner: string,
  userId: string,
  key: string,
  seconds: number,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ lease_expires_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})` })
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('lease_owner', '=', leaseOwner)
    .where('response', 'is', null)
    .execute()
}

export async function storeKeyResponse(
  db: Db,
  leaseOwner: string,
  userId: string,
  key: string,
  response: object,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ response: JSON.stringify(response) })
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('lease_owner', '=', leaseOwner)
    .execute()
}

export function deleteOldKeys(db: Db, createdBefore: Date, options?: PurgeOptions): Promise<void> {
  return deleteExpired(db, { table: 'idempotency_keys', time: 'created_at', before: createdBefore }, options)
}
