import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Returns the marketing consents of these users by id. Null means that the user has not answered. Users without a row
 * are omitted.
 */
export async function selectMarketingConsents(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, boolean | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select(['id', 'consent_marketing'])
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map(({ id, consent_marketing }) => [id, consent_marketing]))
}

/**
 * Returns whether a user consents to marketing. Until the end of the transaction, the user can't withdraw consent,
 * delete the account or be merged. Waits for a transaction that makes such a change, so the caller must not hold a lock
 * that the other transaction needs.
 */
export async function lockMarketingConsent(tx: Tx, id: string): Promise<boolean> {
  // Not FOR SHARE: two transactions that lock the row this way and then change it would deadlock.
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('consent_marketing', '=', true)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Locks many users without waiting, and returns those who consent to marketing. Omits a user whose row is being
 * changed.
 */
export async function lockMarketingConsents(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .where('consent_marketing', '=', true)
    .forShare()
    .skipLocked()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns the id of the user with a referral code. For a merged guest, returns the id of the account instead. */
export async function selectReferrerId(db: Db, code: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select(({ fn }) => fn.coalesce('merged_into', 'id').as('id'))
    .where('referral_code', '=', code)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.id
}
