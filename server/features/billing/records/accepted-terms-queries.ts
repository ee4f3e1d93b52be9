import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { toLetters } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'

/** The time of the last use is updated at most once in this many hours, to save writes. */
const lastUsePrecisionHours = 12
/**
 * Unreferenced terms are deleted this many days after their last use. An order that uses them is stored long before
 * that.
 */
const unusedDays = 2
/** Length of a hash of terms: 32 letters of 4 bits each. The hash is also stored with the payment at the gateway. */
export const termsHashLength = 32

/**
 * Stores the terms that a buyer agreed to, each text once.
 * @returns the hash of the text, and whether the text is new
 */
export async function storeAcceptedTerms(
  tx: Tx,
  text: string,
  now: Date,
): Promise<{ hash: string; isNew: boolean }> {
  const hash = toLetters(createHash('sha256').update(text).digest()).slice(0, termsHashLength)
  // The text of most orders is already stored, so this first lookup takes no lock.
  const { rows } = await sql`
    SELECT FROM accepted_terms WHERE hash = ${hash} AND used_at > ${now}::timestamptz - make_interval(hours => ${lastUsePrecisionHours})`.execute(
    tx,
  )
  if (rows.length > 0) return { hash, isNew: false }
  const stored = await sql<{ is_new: boolean }>`
      INSERT INTO accepted_terms (hash, text, used_at) VALUES (${hash}, ${text}, ${now})
      ON CONFLICT (hash) DO UPDATE SET used_at = greatest(accepted_terms.used_at, excluded.used_at)
      RETURNING xmax = 0 AS is_new`.execute(tx)
  return { hash, isNew: stored.rows[0]?.is_new ?? false }
}

/** Returns the text of the terms with a hash, or null if there is none. */
export async function selectAcceptedTerms(db: Db, hash: string): Promise<string | null> {
  const row = await db.selectFrom('accepted_terms').select('text').where('hash', '=', hash).executeTakeFirst()
  return row?.text ?? null
}

/** Deletes terms that were not used recently and to which no order, consent or auto-unlock refers. */
export async function deleteUnusedTerms(db: Db, now: Date): Promise<void> {
  await sql`
    DELETE FROM accepted_terms WHERE used_at < ${now}::timestamptz - make_interval(days => ${unusedDays})
      AND NOT EXISTS (SELECT FROM orders WHERE consent->>'terms_hash' = accepted_terms.hash)
      AND NOT EXISTS (SELECT FROM payment_method_consents WHERE terms_hash = accepted_terms.hash)
      AND NOT EXISTS (SELECT FROM auto_unlocks WHERE terms_hash = accepted_terms.hash)`.execute(db)
}
