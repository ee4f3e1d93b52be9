import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { EmbeddedConnection } from './embedded/embedded-database.ts'
import type { Log } from '#server/platform/log.ts'

type ConnectCallback = Parameters<pg.Pool['connect']>[0]

/** Maximum wait of a query for the embedded server's restart, as a multiple of the time-out for a connection. */
const waits = 6
const defaultWaitMs = 10_000

/** SQLSTATEs and system codes of a server that is not running, shutting down or starting. */
const absentServerCodes = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
])

/** A pool on the embedded server that restarts the server if it has stopped. */
export class SupervisedPool extends pg.Pool {
  readonly #ensureRunning: () => Promise<EmbeddedConnection>
  readonly #log: Log

  constructor(options: pg.PoolConfig, ensureRunning: () => Promise<EmbeddedConnection>, log: Log) {
    super(options)
    this.#ensureRunning = ensureRunning
    this.#log = log
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const client = this.#connect()
    if (!callback) return client
    client.then(
      (connected) => callback(undefined, connected, (error) => connected.release(error)),
      (error: Error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  async #connect(): Promise<pg.PoolClient> {
    const deadline = Date.now() + waits * (this.options.connectionTimeoutMillis ?? defaultWaitMs)
    for (;;) {
      try {
        return await super.connect()
      } catch (error) {
        if (!isServerAbsent(error) || this.ending || Date.now() > deadline) throw error
        this.#log.debug({ error }, 'The database server is not running; starting it')
      }
      Object.assign(this.options, await this.#ensureRunning().catch(throwUnavailable))
      await delay(20)
    }
  }
}

/**
 * Reports a failure to start the server as unavailability, with PostgreSQL's own code (cannot_connect_now), because its
 * cause may be temporary, such as a full disk.
 */
function throwUnavailable(cause: unknown): never {
  const message = cause instanceof Error ? cause.message : String(cause)
  throw Object.assign(new Error(message, { cause }), { code: '57P03' })
}

function isServerAbsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && absentServerCodes.has(error.code)) return true
  return error.message === 'Connection terminated unexpectedly'
}
