import type { Pool, PoolClient, PoolConfig, QueryConfig, QueryResult } from 'pg'
import { tooManyQueriesMessage } from './database-unavailable.ts'

/**
 * The number of connections for each kind of statement. Look-ups are so fast that one connection suffices, but slower queries
 * must not delay them. For the rest, a few connections are faster than many, because PostgreSQL's processes reuse their own
 * caches. With more than `maxWaiting` statements queued for a connection, the next one would wait longer than clients do.
 */
const pipelineOptions = {
  lookUp: { connections: 1, maxWaiting: 10_000, options: { statement_timeout: 5000 } },
  read: { connections: 3, maxWaiting: 1000, options: {} },
} as const

/** Number of connections of all pipelines of a process. */
export const pipelinedConnections = Object.values(pipelineOptions).reduce(
  (sum, { connections }) => sum + connections,
  0,
)

/**
 * Time limit for lock waits. Readers wait only for changes of a table, such as a newer copy's migration, and meanwhile block
 * the queries behind them.
 */
const lockTimeoutMs = 500

/** A statement that takes far less than a millisecond, or one that may take longer. */
export type StatementKind = keyof typeof pipelineOptions

/** Keyed by text. If the same text is marked with two kinds, the last one applies. */
const kinds = new Map<string, StatementKind>()

/** Marks a text as read-only, so that outside of a transaction it may share a connection with others of its kind. */
export function setStatementKind(kind: StatementKind, text: string): void {
  kinds.set(text, kind)
}

/** Returns the kind that a text was marked as, if any. */
export function statementKind(text: string): StatementKind | undefined {
  return kinds.get(text)
}

/**
 * Connections that carry many statements at once. A statement that is sent while others wait needs no round trip of its own,
 * because the server reads everything that has arrived and answers in order.
 */
export interface Pipelines {
  query(kind: StatementKind, statement: QueryConfig): Promise<QueryResult>
  end(): Promise<void>
}

/** Opens pipelines on the server of these pools, with options that enable pipelining. */
export function openPipelines(openPool: (options: PoolConfig) => Pool): Pipelines {
  const open = (kind: StatementKind) => {
    const { connections: max, options } = pipelineOptions[kind]
    const pool = openPool({ pipeline: true, max, lock_timeout: lockTimeoutMs, ...options })
    return { pool, lines: Array.from({ length: max }, () => new PipelinedConnection(pool)) }
  }
  const opened = { lookUp: open('lookUp'), read: open('read') }
  return {
    async query(kind, statement) {
      const line = opened[kind].lines.reduce((best, each) => (each.waiting < best.waiting ? each : best))
      if (line.waiting >= pipelineOptions[kind].maxWaiting) throw new Error(tooManyQueriesMessage)
      return line.query(statement)
    },
    async end() {
      for (const { pool, lines } of Object.values(opened)) {
        // First, so that no new connection is opened; it resolves once all connections are returned.
        const ended = pool.end()
        for (const line of lines) await line.release()
        await ended
      }
    },
  }
}

/**
 * SQLSTATEs of statements whose prepared form is invalid. Their table has changed since, for example by a newer copy of the
 * site. Or they were never prepared, because the first one sent failed before.
 */
const outdatedStatementCodes = new Set(['0A000', '26000', '42P05'])

/**
 * Returns whether an error means that a connection's prepared statement is outdated. Under another name, or on another connection,
 * it runs.
 */
export function isStatementOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && outdatedStatementCodes.has(String(error.code))
}

/**
 * One connection. It opens with the first statement, and reopens after it broke. Statements in flight fail when it breaks, as
 * on any connection.
 */
class PipelinedConnection {
  readonly #pool: Pool
  #connection: Promise<PoolClient> | undefined
  /** Number of unanswered statements. */
  waiting = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Returns the result; for an outdated statement, that of a new connection. */
  async query(statement: QueryConfig): Promise<QueryResult> {
    this.waiting++
    try {
      return await this.#ask(statement).catch((error: unknown) => {
        if (!isStatementOutdated(error)) throw error
        return this.#ask(statement)
      })
    } catch (error) {
      throw copyError(error)
    } finally {
      this.waiting--
    }
  }

  async #ask(statement: QueryConfig): Promise<QueryResult> {
    const connection = (this.#connection ??= this.#connect())
    try {
      return await (await connection).query(statement)
    } catch (error) {
      if (isStatementOutdated(error)) this.#drop(connection)
      throw error
    }
  }

  #connect(): Promise<PoolClient> {
    const connection = this.#pool.connect()
    const drop = () => this.#drop(connection)
    connection.then((client) => client.once('error', drop), drop)
    return connection
  }

  /** Makes the next statement reconnect, unless that has happened already. */
  #drop(connection: Promise<PoolClient>): void {
    if (this.#connection === connection) void this.release(true)
  }

  /** Returns the connection after the statements in flight, or closes it if it must not be reused. */
  async release(destroy = false): Promise<void> {
    const last = this.#connection
    this.#connection = undefined
    const client = await last?.catch(() => undefined)
    client?.release(destroy)
  }
}

/** Copies an error for each statement: many fail with the same connection, and each adds its own context. */
function copyError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { message } = error
  const own = error instanceof AggregateError ? new AggregateError(error.errors, message) : new Error(message)
  return Object.assign(own, error)
}
