import type { PostgresPool } from 'kysely'
import type { Pool } from 'pg'
import type { Log } from '#server/platform/log.ts'
import { decideReplicaUse } from './replica-lag.ts'

/** The connection source of Kysely. */
export interface Statements {
  pool: PostgresPool
  close(): Promise<void>
}

/** The state that a server reports. */
export interface ServerState {
  database: string
  system: string
  /** Its WAL position in bytes; null on a replica that has just started. */
  position: bigint | null
  /** The age of the last applied change, by the clocks of both machines. */
  appliedMsAgo: number | null
}

/** A query for the primary and for replicas. A promoted replica reports its position as a primary. */
const serverStateQuery = `SELECT current_database() AS database, (SELECT system_identifier::text FROM pg_control_system()) AS system,
  (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::text AS position,
  (extract(epoch FROM now() - pg_last_xact_replay_timestamp()) * 1000)::float8 AS applied`

/** Queries a server's state. @throws Error if it does not respond in time */
export async function readServerState(pool: Pool): Promise<ServerState> {
  const { rows } = await pool.query<{
    database: string
    system: string
    position: string | null
    applied: number | null
  }>(serverStateQuery)
  const [row] = rows
  if (!row) throw new Error('the server reported no state')
  const { database, system, position, applied } = row
  return { database, system, position: position === null ? null : BigInt(position), appliedMsAgo: applied }
}

interface Options {
  url: string
  /** The pool for health checks, separate from the connections for reads. */
  healthCheckPool: Pool
  open(): Statements
  log: Log
}

/** A replica of the database, used for reads while it is healthy. */
export class Replica {
  /** Its host and port. */
  readonly name: string
  readonly healthCheckPool: Pool
  readonly #open: () => Statements
  readonly #log: Log
  /**
   * Undefined while the replica is out of use. Its connections are not reused afterwards, because the machine may have
   * stopped responding.
   */
  #opened: Statements | undefined
  #reason: string | undefined
  lagMs: number | undefined

  constructor({ url, healthCheckPool, open, log }: Options) {
    const { host, searchParams } = new URL(url)
    this.name = host || (searchParams.get('host') ?? 'local')
    this.healthCheckPool = healthCheckPool
    this.#open = open
    this.#log = log
  }

  /** The pool to read from; undefined while the replica is out of use. */
  get pool(): PostgresPool | undefined {
    return this.#opened?.pool
  }

  /** Records the replica's lag (undefined if unknown), and starts or stops using the replica accordingly. */
  recordLag(lagMs: number | undefined): void {
    this.lagMs = lagMs
    const use = decideReplicaUse(lagMs)
    if (use === 'leave out') this.takeOutOfUse('it is behind')
    else if (use === 'read' && !this.#opened) this.#putIntoUse()
  }

  #putIntoUse(): void {
    this.#log.info({ replica: this.name }, 'A replica of the database is used for reads')
    this.#opened = this.#open()
    this.#reason = undefined
  }

  takeOutOfUse(reason: string): void {
    if (this.#reason === undefined)
      this.#log.warn({ replica: this.name, reason }, 'A replica of the database is left out')
    this.#reason = reason
    void this.#closeOpened().catch((error: unknown) =>
      this.#log.debug({ err: error, replica: this.name }, 'The connections to a replica could not be closed'),
    )
  }

  async close(): Promise<void> {
    await Promise.all([this.healthCheckPool.end(), this.#closeOpened()])
  }

  async #closeOpened(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await opened?.close()
  }
}
