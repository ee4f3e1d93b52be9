import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

/** After this many consecutive failures an account is locked: for a second, doubling with each up to a quarter of an hour. */
const failuresBeforeLock = 5
const maxLockSeconds = 900

/** A counted attempt. */
export interface LoginAttempt {
  /** The key that the attempts are counted under. */
  accountKey: string
  /** When the account is unlocked, if this attempt fails. It is unique among the attempts that lock the account. */
  lockedUntil: Date
}

/**
 * Counts an attempt as failed before it is made, unless the account is locked, so that concurrent attempts cannot bypass the limit.
 * A success deletes the count with `deleteLoginFailures`. The clocks of two processes may differ: no attempt is delayed after a free one.
 * @returns the attempt, or when the account is unlocked
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
  // A success may have deleted the failures meanwhile.
  return row?.locked_until ?? startLoginAttempt(db, accountKey, now)
}

/**
 * Uncounts the last attempt, restoring the account's state before it. If another attempt has started since, it stays counted, since
 * the lock is that one's.
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

export async function deleteExpiredLoginFailures(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('locked_until', '<', before).execute()
}
