import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

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
