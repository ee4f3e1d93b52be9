import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

/** After so many failures in a row an account rests: a second, doubling with each to a quarter of an hour. */
const freeFailures = 5
const longestRestSeconds = 900

/** A try as it is counted. */
export interface Try {
  /** The key that the tries are counted under. */
  account: string
  /** When the account may be tried again, should this one have failed. No two tries that make it rest have the same. */
  lockedUntil: Date
}

/**
 * Counts a try as failed before it is made, unless the account rests: so tries at once cannot slip past. One that
 * succeeds is forgotten with the others by `deleteFailures`. The clocks of two processes may differ: no try rests
 * after one that was free.
 * @returns the try, or when the account may be tried again, where that is not yet
 */
export async function beginTry(db: Db, account: string, now: Date): Promise<Try | Date> {
  const { rows } = await sql<{ locked_until: Date }>`
    INSERT INTO sign_in_failures AS f (account, failures, locked_until) VALUES (${account}, 1, ${now})
    ON CONFLICT (account) DO UPDATE SET
      failures = f.failures + 1,
      locked_until = ${now}::timestamptz + CASE WHEN f.failures + 1 < ${freeFailures} THEN interval '0'
        ELSE least(${longestRestSeconds}, 2 ^ least(f.failures + 1 - ${freeFailures}, 20)) * interval '1 second' END
    WHERE f.failures < ${freeFailures} OR f.locked_until <= ${now}
    RETURNING locked_until`.execute(db)
  const [counted] = rows
  if (counted) return { account, lockedUntil: counted.locked_until }
  const row = await db
    .selectFrom('sign_in_failures')
    .select('locked_until')
    .where('account', '=', account)
    .executeTakeFirst()
  // A success may have forgotten the failures meanwhile.
  return row?.locked_until ?? beginTry(db, account, now)
}

/**
 * Counts a try no more, which was the last: the account is as it was before it. Where another one has begun since, it stays
 * counted, since the rest that goes is that one's.
 */
export async function takeTryBack(db: Db, { account, lockedUntil }: Try, now: Date): Promise<void> {
  await db
    .updateTable('sign_in_failures')
    .set((row) => ({ failures: row('failures', '-', 1), locked_until: now }))
    .where('account', '=', account)
    .where('locked_until', '=', lockedUntil)
    .where('failures', '>', 0)
    .execute()
}

export async function deleteFailures(db: Db, account: string): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('account', '=', account).execute()
}

export async function deleteOldFailures(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('locked_until', '<', before).execute()
}
