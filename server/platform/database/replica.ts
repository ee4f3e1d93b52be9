import type { PostgresPool } from 'kysely'
import type { Pool } from 'pg'
import type { Log } from '#server/platform/log.ts'

/** A replica that is further behind is left out. */
const mostLagMs = 5000
/** One that was left out is read from again once it is this close, so that it does not go to and fro. */
const backLagMs = 2000

/** What Kysely takes its connections from. */
export interface Statements {
  pool: PostgresPool
  close(): Promise<void>
}

/** What a server says of itself. */
export interface Look {
  database: string
  system: string
  /** How far its log of changes (WAL) has come, in bytes; null on a replica that has just started. */
  position: bigint | null
  /** When what it applied last was written, by the clocks of both machines. */
  appliedMsAgo: number | null
}

/** The primary and its replicas answer it. A replica that was promoted is a primary. */
const lookText = `SELECT current_database() AS database, (SELECT system_identifier::text FROM pg_control_system()) AS system,
  (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::text AS position,
  (extract(epoch FROM now() - pg_last_xact_replay_timestamp()) * 1000)::float8 AS applied`

/** Asks a server how far it is. @throws Error where it does not answer in time */
export async function lookAt(looks: Pool): Promise<Look> {
  const { rows } = await looks.query<{
    database: string
    system: string
    position: string | null
    applied: number | null
  }>(lookText)
  const [row] = rows
  if (!row) throw new Error('the server says nothing of itself')
  const { database, system, position, applied } = row
  return { database, system, position: position === null ? null : BigInt(position), appliedMsAgo: applied }
}

interface Options {
  url: string
  /** For looks at it, apart from what reads. */
  looks: Pool
  open(): Statements
  log: Log
}

/** A replica of the database, which is read from while it is well. */
export class Replica {
  /** Its host, with the port. */
  readonly name: string
  readonly looks: Pool
  readonly #open: () => Statements
  readonly #log: Log
  /** Undefined while it is left out: connections to a machine that went silent are not used again. */
  #opened: Statements | undefined
  #reason: string | undefined
  lagMs: number | undefined

  constructor({ url, looks, open, log }: Options) {
    const { host, searchParams } = new URL(url)
    this.name = host || (searchParams.get('host') ?? 'local')
    this.looks = looks
    this.#open = open
    this.#log = log
  }

  /** Where to read from it; undefined while it is left out. */
  get pool(): PostgresPool | undefined {
    return this.#opened?.pool
  }

  /** Takes note of how far behind it is; undefined where nobody knows. */
  noteLag(lagMs: number | undefined): void {
    this.lagMs = lagMs
    if (lagMs === undefined || lagMs > mostLagMs) this.leaveOut('it is behind')
    else if (!this.#opened && lagMs <= backLagMs) this.#takeIn()
  }

  #takeIn(): void {
    this.#log.info({ replica: this.name }, 'A replica of the database is read from')
    this.#opened = this.#open()
    this.#reason = undefined
  }

  leaveOut(reason: string): void {
    if (this.#reason === undefined)
      this.#log.warn({ replica: this.name, reason }, 'A replica of the database is left out')
    this.#reason = reason
    void this.#closeOpened().catch((error: unknown) =>
      this.#log.debug({ err: error, replica: this.name }, 'A replica could not be closed in order'),
    )
  }

  async close(): Promise<void> {
    await Promise.all([this.looks.end(), this.#closeOpened()])
  }

  async #closeOpened(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await opened?.close()
  }
}
