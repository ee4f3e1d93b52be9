import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { kindOf, type Pipelines } from './pipelines.ts'

/** Beyond this many different texts (lists of varying length make them) the rest runs unnamed, so that no connection hoards plans. */
const maxNames = 500

/** The names of a pool's statements, by their text. */
type Names = Map<string, string>

/** A stable name for a statement's text, or undefined for what should not be kept on the server. */
function nameOf(names: Names, text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= maxNames || !/^\s*(select|insert|update|delete|with)\b/i.test(text)) return undefined
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

/**
 * The pool as Kysely wants it, with every query sent as a named prepared statement: PostgreSQL parses and plans a text once a connection.
 * Behind a pooler that shares server connections (PgBouncer before 1.21) set it to session mode. Prepared queries outside of
 * transactions go down the pipelines, where there are any.
 */
export function withNamedStatements(pool: Pool, pipelines?: Pipelines): PostgresPool {
  const names: Names = new Map()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => lease(pool, pipelines, names),
  }
}

/** What `pg` says of a query that waited too long; its connection still waits for the answer. */
const tooLong = 'Query read timeout'

/**
 * A connection for one user at a time, which is taken from the pool with the first statement that needs one: a prepared query that
 * comes before goes down a pipeline.
 */
function lease(pool: Pool, pipelines: Pipelines | undefined, names: Names): PostgresPoolClient {
  let client: Promise<PoolClient> | undefined
  let stuck = false
  const query = async (text: string, values: readonly unknown[]) => {
    // Not even ROLLBACK would get through.
    if (stuck) throw new Error(tooLong)
    const name = nameOf(names, text)
    const statement = { ...(name === undefined ? {} : { name }), text, values: [...values] }
    const kind = client ? undefined : kindOf(text)
    if (pipelines && kind) return pipelines.query(kind, statement)
    client ??= pool.connect()
    try {
      return await (await client).query(statement)
    } catch (error) {
      stuck = error instanceof Error && error.message === tooLong
      throw error
    }
  }
  return {
    // Kysely's type also has a form for cursors, which it only uses when it is given a cursor class; we give it none.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) =>
      void client?.then(
        (taken) => taken.release(destroy || stuck),
        () => undefined,
      ),
  }
}
