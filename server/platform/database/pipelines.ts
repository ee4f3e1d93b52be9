import type { Pool, PoolClient, PoolConfig, QueryConfig, QueryResult } from 'pg'
import { measureWait } from './connection-waits.ts'
import { tooManyQueriesMessage } from './database-unavailable.ts'

/**
 * The number of connections for each kind of statement. Look-ups are so fast that one connection suffices, but slower
 * queries must not delay them. For the rest, a few connections are faster than many, because PostgreSQL's processes
 * reuse their own caches. With more than `maxWaiting` statements queued for a connection, the next one would wait
 * longer than clients do.
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
 * Time limit for lock waits. Readers wait only for changes of a table's schema, such as a migration. A reader that
 * waits blocks the queries behind it.
 */
const lockTimeoutMs = 500

/** A statement that takes far less than a millisecond, or one that may take longer. */
export type StatementKind = keyof typeof pipelineOptions

/** The marked statements by text. If the same text is marked with two kinds, the last one applies. */
const kinds = new Map<string, StatementKind>()

/** Marks a statement as read-only. Outside of a transaction, it may then share a connection with others of its kind. */
export function setStatementKind(kind: StatementKind, text: string): void {
  kinds.set(text, kind)
}

/** Returns the kind that a text was marked as, if any. */
export function statementKind(text: string): StatementKind | undefined {
  return kinds.get(text)
}

/**
 * Connections that carry many statements at once. A statement that is sent while others wait needs no separate round
 * trip, because the server reads everything that has arrived and answers in order.
 */
export interface Pipelines {
  query(kind: StatementKind, statement: QueryConfig): Promise<QueryResult>
  end(): Promise<void>
}

/** Opens the pipelines. `openPool` opens a pool on the server; it gets the options that enable pipelining. */
export function openPipelines(openPool: (options: PoolConfig) => Pool): Pipelines {
  const open = (kind: StatementKind) => {
    const { connections: max, options } = pipelineOptions[kind]
    const pool = openPool({ pipeline: true, max, lock_timeout: lockTimeoutMs, ...options })
    return { pool, lines: Array.from({ length: max }, () => new PipelinedConnection(kind, pool)) }
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
        // Called first, so that no new connection is opened. The promise resolves once all connections are returned.
        const ended = pool.end()
        for (const line of lines) await line.release()
        await ended
      }
    },
  }
}

/**
 * SQLSTATEs of a prepared statement that is not valid on its connection. Either its table has changed since the
 * statement was prepared, or the query that should have prepared it failed.
 */
const outdatedStatementCodes = new Set(['0A000', '26000', '42P05'])

/**
 * Returns whether an error means that a connection's prepared statement is outdated. The statement succeeds under
 * another name or on another connection.
 */
export function isStatementOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && outdatedStatementCodes.has(String(error.code))
}

const ignore = () => {}

/**
 * One connection. It opens with the first statement, and reopens after it broke. Statements in flight fail when it
 * breaks, as on any connection.
 */
class PipelinedConnection {
  readonly #kind: StatementKind
  readonly #pool: Pool
  #connection: Promise<PoolClient> | undefined
  /** Resolves when the latest statement is answered, even with an error. */
  #answered: Promise<void> = Promise.resolve()
  /** Number of unanswered statements. */
  waiting = 0

  constructor(kind: StatementKind, pool: Pool) {
    this.#kind = kind
    this.#pool = pool
  }

  /** Runs a statement; runs an outdated one again on a new connection. */
  async query(statement: QueryConfig): Promise<QueryResult> {
    this.waiting++
    void measureWait(this.#kind, this.#answered)
    const answer = this.#ask(statement).catch((error: unknown) => {
      if (!isStatementOutdated(error)) throw error
      return this.#ask(statement)
    })
    this.#answered = answer.then(ignore, ignore)
    try {
      return await answer
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

  /** Returns the connection to the pool after the statements in flight, or closes it if it must not be reused. */
  async release(destroy = false): Promise<void> {
    const last = this.#connection
    this.#connection = undefined
    const client = await last?.catch(() => undefined)
    client?.release(destroy)
  }
}

/**
 * Copies an error. The statements in flight share the error of their connection, but each caller adds its own context
 * to it.
 */
function copyError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { message } = error
  const own = error instanceof AggregateError ? new AggregateError(error.errors, message) : new Error(message)
  return Object.assign(own, error)
}
