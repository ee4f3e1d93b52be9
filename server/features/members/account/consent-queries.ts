import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/** What these people answered about marketing, by id; somebody without a row is missing. */
export async function selectConsents(
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
 * Whether somebody agrees to marketing. Until the transaction is over they neither take it back nor leave nor go over to an
 * account: whoever has begun that is waited for, so no lock may be held that those wait for.
 */
export async function holdAgreement(tx: Tx, id: string): Promise<boolean> {
  // Not FOR SHARE: two calls that share the row and then change it would wait for each other.
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('consent_marketing', '=', true)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** The same of many, without a wait: somebody whose row is being changed at this moment is not among those who agree. */
export async function holdAgreements(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
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

/** Whose referral code this is; the account's, where a guest's code came to an account. */
export async function selectReferrer(db: Db, code: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select(({ fn }) => fn.coalesce('merged_into', 'id').as('id'))
    .where('referral_code', '=', code)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.id
}
