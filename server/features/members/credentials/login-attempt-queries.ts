import { sql } from 'kysely'
import { deleteExpired, type PurgeOptions } from '#server/platform/database/delete-expired.ts'
import type { Db } from '#server/tables.ts'

/**
 * An account is locked after this many consecutive failures. The first lock lasts a second. Each further failure
 * doubles its duration, up to a quarter of an hour.
 */
const failuresBeforeLock = 5
const maxLockSeconds = 900

/** A login attempt, which counts as failed until it succeeds. */
export interface LoginAttempt {
  /** Key under which the attempts are counted. */
  accountKey: string
  /**
   * The time at which the account is unlocked if this attempt fails. No two attempts that lock the account have the
   * same time, so this time identifies the attempt.
   */
  lockedUntil: Date
}

/**
 * Counts an attempt as failed before it is made, unless the account is locked. So concurrent attempts cannot bypass the
 * limit. A success deletes the count with `deleteLoginFailures`. Attempts below the limit are never delayed, even if
 * the clocks of two processes differ.
 * @returns the attempt, or the time at which the account is unlocked
 */
export async function startLoginAttempt(db: Db, accountKey: string, now: Date): Promise<LoginAttempt | Date> {
  const { rows } = await sql<{ locked_until: Date }>`
    INSERT INTO sign_in_failures AS f (account, failures, locked_until) VALUES (${accountKey}, 1, ${now})
    ON CONFLICT (account) DO UPDATE SET
      failures = f.failures + 1,
      locked_until = ${now}::timestamptz + CASE WHEN f.failures + 1 < ${failuresBeforeLock} THEN interval '0'
        ELSE least(${maxLockSeconds}, 2 ^ least(f.failures + 1 - ${failuresBeforeLock}, 20)) * interval '1 second' END
    WHERE f.failures < ${failuresBeforeLock} OR f.locked_until <= ${now}
    RETURNING locked_until`.execute(db)
  const [counted] = rows
  if (counted) return { accountKey, lockedUntil: counted.locked_until }
  const row = await db
    .selectFrom('sign_in_failures')
    .select('locked_until')
    .where('account', '=', accountKey)
    .executeTakeFirst()
  // A success may have deleted the failures between the two statements, so the attempt is counted again.
  return row?.locked_until ?? startLoginAttempt(db, accountKey, now)
}

/**
 * Removes the last attempt from the count, as if it had not been made. If another attempt has started since, this
 * attempt remains counted, because the lock now belongs to the other attempt.
 */
export async function uncountLoginAttempt(
  db: Db,
  { accountKey, lockedUntil }: LoginAttempt,
  now: Date,
): Promise<void> {
  await db
    .updateTable('sign_in_failures')
    .set((row) => ({ failures: row('failures', '-', 1), locked_until: now }))
    .where('account', '=', accountKey)
    .where('locked_until', '=', lockedUntil)
    .where('failures', '>', 0)
    .execute()
}

export async function deleteLoginFailures(db: Db, accountKey: string): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('account', '=', accountKey).execute()
}

export function deleteExpiredLoginFailures(db: Db, before: Date, options: PurgeOptions): Promise<void> {
  return deleteExpired(db, { table: 'sign_in_failures', time: 'locked_until', before }, options)
}
