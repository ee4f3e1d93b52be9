import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { isOutdated, kindOf, type Pipelines } from './pipelines.ts'

/** Beyond this many different texts (lists of varying length make them) the rest runs unnamed, so that no connection hoards plans. */
const maxNames = 500

/** The names of a pool's statements, by their text. */
class Names {
  readonly #byText = new Map<string, string>()
  #round = 1

  /** A stable name for a statement's text, or undefined for what should not be kept on the server. */
  of(text: string): string | undefined {
    const known = this.#byText.get(text)
    if (known !== undefined) return known
    if (this.#byText.size >= maxNames || !/^\s*(select|insert|update|delete|with)\b/i.test(text))
      return undefined
    const name = `s${this.#round}_${this.#byText.size + 1}`
    this.#byText.set(text, name)
    return name
  }

  /** Gives every statement another name: a table has changed, and what connections hold of it by the old names is refused. */
  renew(): void {
    this.#byText.clear()
    this.#round++
  }
}

/** Names nothing. */
const noNames: Pick<Names, 'of' | 'renew'> = { of: () => undefined, renew: () => {} }

interface Options {
  pipelines?: Pipelines
  named?: boolean
}

/**
 * The pool as Kysely wants it, with every query sent as a named prepared statement: PostgreSQL parses and plans a text once a connection.
 * Prepared queries outside of transactions go down the pipelines, where there are any.
 * @param options `named`: false behind a pooler in transaction mode, where the next statement may reach another connection
 */
export function withNamedStatements(pool: Pool, { pipelines, named = true }: Options = {}): PostgresPool {
  const names = named ? new Names() : noNames
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
function lease(pool: Pool, pipelines: Pipelines | undefined, names: typeof noNames): PostgresPoolClient {
  let client: Promise<PoolClient> | undefined
  let stuck = false
  let inTransaction = false
  const query = async (text: string, values: readonly unknown[]) => {
    // Not even ROLLBACK would get through.
    if (stuck) throw new Error(tooLong)
    const statement = () => {
      const name = names.of(text)
      return { ...(name === undefined ? {} : { name }), text, values: [...values] }
    }
    const kind = client ? undefined : kindOf(text)
    if (pipelines && kind) return pipelines.query(kind, statement())
    client ??= pool.connect()
    if (/^(begin|start transaction)\b/i.test(text)) inTransaction = true
    if (/^(commit|rollback)$/i.test(text)) inTransaction = false
    const taken = await client
    try {
      return await taken.query(statement()).catch((error: unknown) => {
        if (!isOutdated(error)) throw error
        names.renew()
        // A transaction that failed is run again as a whole (in-transaction.ts).
        if (inTransaction) throw error
        return taken.query(statement())
      })
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
