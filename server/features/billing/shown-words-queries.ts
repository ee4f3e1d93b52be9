import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/** The time of the last use is as exact as this. */
const exactHours = 12
/** Words that no order has any more are deleted so long after their last use, when no order with them is under way. */
const unusedDays = 2

/** Stores the words that a buyer agreed to, each text once. @returns their hash, which finds them */
export async function keepShownWords(tx: Tx, words: string, now: Date): Promise<string> {
  const hash = createHash('sha256').update(words).digest('base64url')
  // Most orders find the words there and lock nothing.
  const { rows } = await sql`
    SELECT FROM shown_words WHERE hash = ${hash} AND used_at > ${now}::timestamptz - make_interval(hours => ${exactHours})`.execute(
    tx,
  )
  if (rows.length === 0)
    await sql`
      INSERT INTO shown_words (hash, words, used_at) VALUES (${hash}, ${words}, ${now})
      ON CONFLICT (hash) DO UPDATE SET used_at = greatest(shown_words.used_at, excluded.used_at)`.execute(tx)
  return hash
}

/** The words of a hash. */
export async function selectShownWords(db: Db, hash: string): Promise<string | null> {
  const row = await db.selectFrom('shown_words').select('words').where('hash', '=', hash).executeTakeFirst()
  return row?.words ?? null
}

/** Deletes words that no order has any more. */
export async function deleteUnusedWords(db: Db, now: Date): Promise<void> {
  await sql`
    DELETE FROM shown_words WHERE used_at < ${now}::timestamptz - make_interval(days => ${unusedDays})
      AND NOT EXISTS (SELECT FROM orders WHERE consent->>'shown_hash' = shown_words.hash)`.execute(db)
}
