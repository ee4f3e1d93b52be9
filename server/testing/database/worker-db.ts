import { Kysely, PostgresDialect } from 'kysely'
import type { Database } from '#server/platform/database/database.ts'
import type { Db, Tables } from '#server/tables.ts'

/**
 * Returns a database whose connections keep their session, as a worker needs. Connections through a pooler do not keep
 * it.
 */
export function workerDb({ db, pool, sessions }: Database<Tables>): Db {
  return sessions === pool ? db : new Kysely<Tables>({ dialect: new PostgresDialect({ pool: sessions }) })
}
