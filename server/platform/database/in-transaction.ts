import { setTimeout as delay } from 'node:timers/promises'
import { sql, type Kysely, type Transaction } from 'kysely'
import { isStatementOutdated } from './pipelines.ts'

/**
 * SQLSTATEs of a transaction that PostgreSQL rolled back because of another transaction: serialization_failure,
 * deadlock_detected.
 */
const conflicts = new Set<unknown>(['40001', '40P01'])

const maxAttempts = 4
const firstPauseMs = 20

/**
 * Runs `work` in a transaction. Reruns it after a deadlock or a serialization failure, or if a table has changed since
 * the statements were prepared. After `maxAttempts` attempts, throws the last error. `work` must have no effects
 * outside of the transaction, because it may run several times: use `db.transaction()` for work that also sends
 * something.
 * @param options.lockTimeoutMs the longest wait for a lock; without it, only the time-out of the statement applies
 */
export async function inTransaction<Tables, Result>(
  db: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
  { lockTimeoutMs }: { lockTimeoutMs?: number } = {},
): Promise<Result> {
  const workWithTimeout = async (tx: Transaction<Tables>) => {
    if (lockTimeoutMs !== undefined) await sql`SET LOCAL lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx)
    return work(tx)
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(workWithTimeout)
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error
    }
    // Random, so that conflicting transactions do not conflict again.
    await delay(Math.random() * firstPauseMs * 2 ** attempt)
  }
}

function isConflict(error: unknown): boolean {
  if (isStatementOutdated(error)) return true
  return error instanceof Error && 'code' in error && conflicts.has(error.code)
}
