import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/** After so many failures in a row an account rests: a second, doubling with each to a quarter of an hour. */
const freeFailures = 5
const longestRestSeconds = 900

/**
 * Counts a try as failed before it is made, unless the account rests: so tries at once cannot slip past. One that
 * succeeds is forgotten with the others by `deleteFailures`. The clocks of two processes may differ: no try rests
 * after one that was free.
 * @returns when the account may be tried again, where that is not yet
 */
export async function beginTry(db: Db, account: string, now: Date): Promise<Date | undefined> {
  const { rows } = await sql<{ failures: number }>`
    INSERT INTO sign_in_failures AS f (account, failures, open_again) VALUES (${account}, 1, ${now})
    ON CONFLICT (account) DO UPDATE SET
      failures = f.failures + 1,
      open_again = ${now}::timestamptz + CASE WHEN f.failures + 1 < ${freeFailures} THEN interval '0'
        ELSE least(${longestRestSeconds}, 2 ^ least(f.failures + 1 - ${freeFailures}, 20)) * interval '1 second' END
    WHERE f.failures < ${freeFailures} OR f.open_again <= ${now}
    RETURNING failures`.execute(db)
  if (rows.length > 0) return undefined
  const row = await db
    .selectFrom('sign_in_failures')
    .select('open_again')
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.open_again
}

export async function deleteFailures(tx: Tx, account: string): Promise<void> {
  await tx.deleteFrom('sign_in_failures').where('account', '=', account).execute()
}

export async function deleteOldFailures(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('open_again', '<', before).execute()
}
