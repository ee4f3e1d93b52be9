import { sql } from 'kysely'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Db } from '#server/tables.ts'

/** Wraps a storage. Records its calls, and separately the calls that are made while a transaction is open. */
export function recordStorageCalls(
  storage: Storage,
  db: Db,
): { storage: Storage; callsInTransaction: string[]; calls: string[] } {
  const [callsInTransaction, calls]: [string[], string[]] = [[], []]
  const record = async (call: string) => {
    calls.push(call)
    const { rows } = await sql`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND state LIKE 'idle in transaction%'`.execute(db)
    if (rows.length > 0) callsInTransaction.push(call)
  }
  return {
    callsInTransaction,
    calls,
    storage: {
      ...storage,
      write: (key, bytes) => record(`write ${key}`).then(() => storage.write(key, bytes)),
      copy: (from, to) => record(`copy ${from}`).then(() => storage.copy(from, to)),
      remove: (key) => record(`remove ${key}`).then(() => storage.remove(key)),
      moveFromWorkDir: (path, key, signal) =>
        record(`moveIn ${key}`).then(() => storage.moveFromWorkDir(path, key, signal)),
      exists: (key) => record(`exists ${key}`).then(() => storage.exists(key)),
    },
  }
}
