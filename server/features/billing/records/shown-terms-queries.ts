import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { lettersOf } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'

/** The time of the last use is as exact as this. */
const exactHours = 12
/** Words that no order has any more are deleted so long after their last use, when no order with them is under way. */
const unusedDays = 2
/** 128 bits, in letters, as it leaves the site with a payment. */
export const termsHashLength = 32

/** Stores the words that a buyer agreed to, each text once. @returns their hash, which finds them, and whether they were not there yet */
export async function storeShownTerms(
  tx: Tx,
  words: string,
  now: Date,
): Promise<{ hash: string; isNew: boolean }> {
  const hash = lettersOf(createHash('sha256').update(words).digest()).slice(0, termsHashLength)
  // Most orders find the words there and lock nothing.
  const { rows } = await sql`
    SELECT FROM shown_words WHERE hash = ${hash} AND used_at > ${now}::timestamptz - make_interval(hours => ${exactHours})`.execute(
    tx,
  )
  if (rows.length > 0) return { hash, isNew: false }
  const stored = await sql<{ is_new: boolean }>`
      INSERT INTO shown_words (hash, words, used_at) VALUES (${hash}, ${words}, ${now})
      ON CONFLICT (hash) DO UPDATE SET used_at = greatest(shown_words.used_at, excluded.used_at)
      RETURNING xmax = 0 AS is_new`.execute(tx)
  return { hash, isNew: stored.rows[0]?.is_new ?? false }
}

/** The words of a hash. */
export async function selectShownTerms(db: Db, hash: string): Promise<string | null> {
  const row = await db.selectFrom('shown_words').select('words').where('hash', '=', hash).executeTakeFirst()
  return row?.words ?? null
}

/** Deletes words that no order and no agreement has any more. */
export async function deleteUnusedTerms(db: Db, now: Date): Promise<void> {
  await sql`
    DELETE FROM shown_words WHERE used_at < ${now}::timestamptz - make_interval(days => ${unusedDays})
      AND NOT EXISTS (SELECT FROM orders WHERE consent->>'shown_hash' = shown_words.hash)
      AND NOT EXISTS (SELECT FROM method_agreements WHERE shown_hash = shown_words.hash)
      AND NOT EXISTS (SELECT FROM auto_unlocks WHERE shown_hash = shown_words.hash)`.execute(db)
}
