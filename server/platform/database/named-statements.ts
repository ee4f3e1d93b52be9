import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { measureWait } from './connection-waits.ts'
import { isStatementOutdated, statementKind, type Pipelines } from './pipelines.ts'

/**
 * Maximum number of named statements. Further texts run unnamed, so that connections do not accumulate plans: queries
 * with lists of varying length generate many texts.
 */
const maxNames = 500

/** Assigns names to a pool's statements, by their text. */
class Names {
  readonly #byText = new Map<string, string>()
  #round = 1

  /** Returns a stable name for a statement's text, or undefined if the statement should stay unnamed. */
  of(text: string): string | undefined {
    const known = this.#byText.get(text)
    if (known !== undefined) return known
    if (this.#byText.size >= maxNames || !/^\s*(select|insert|update|delete|with)\b/i.test(text))
      return undefined
    const name = `s${this.#round}_${this.#byText.size + 1}`
    this.#byText.set(text, name)
    return name
  }

  /** Renames every statement after a table has changed, because connections then refuse the plans of the old names. */
  renew(): void {
    this.#byText.clear()
    this.#round++
  }
}

/** Assigns no names. */
const noNames: Pick<Names, 'of' | 'renew'> = { of: () => undefined, renew: () => {} }

interface Options {
  pipelines?: Pipelines
  named?: boolean
}

/**
 * Adapts a pool for Kysely and sends queries as named prepared statements, so that PostgreSQL parses and plans a text
 * once per connection. Outside of transactions, prepared queries use the pipelines, if there are any.
 * @param options `named`: false behind a pooler in transaction mode, where each statement may use another connection
 */
export function withNamedStatements(pool: Pool, { pipelines, named = true }: Options = {}): PostgresPool {
  const names = named ? new Names() : noNames
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => lease(pool, pipelines, names),
  }
}

/** The message of `pg` for a query that timed out; its connection still waits for the response. */
const queryTimeoutMessage = 'Query read timeout'

/**
 * Creates a connection for Kysely. It takes a connection from the pool at the first statement that cannot use a
 * pipeline; until then, prepared queries use the pipelines.
 */
function lease(pool: Pool, pipelines: Pipelines | undefined, names: typeof noNames): PostgresPoolClient {
  let client: Promise<PoolClient> | undefined
  let stuck = false
  let inTransaction = false
  const query = async (text: string, values: readonly unknown[]) => {
    // A connection that waits for a response executes nothing more, not even ROLLBACK.
    if (stuck) throw new Error(queryTimeoutMessage)
    const statement = () => {
      const name = names.of(text)
      return { ...(name === undefined ? {} : { name }), text, values: [...values] }
    }
    const kind = client ? undefined : statementKind(text)
    if (pipelines && kind) return pipelines.query(kind, statement())
    client ??= measureWait('pool', pool.connect())
    if (/^(begin|start transaction)\b/i.test(text)) inTransaction = true
    if (/^(commit|rollback)$/i.test(text)) inTransaction = false
    const pooledClient = await client
    try {
      return await pooledClient.query(statement()).catch((error: unknown) => {
        if (!isStatementOutdated(error)) throw error
        names.renew()
        // A failed transaction is rerun as a whole (in-transaction.ts).
        if (inTransaction) throw error
        return pooledClient.query(statement())
      })
    } catch (error) {
      stuck = error instanceof Error && error.message === queryTimeoutMessage
      throw error
    }
  }
  return {
    // Kysely's type also has an overload for cursors, which it only uses with a cursor class; none is configured.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) =>
      void client?.then(
        (client) => client.release(destroy || stuck),
        () => undefined,
      ),
  }
}
