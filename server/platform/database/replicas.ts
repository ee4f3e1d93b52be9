import type { PostgresPool } from 'kysely'
import type { Pool } from 'pg'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { Log } from '#server/platform/log.ts'
import { createReplicaPool } from './read-from-replicas.ts'
import { PrimaryPositions } from './replica-lag.ts'
import { readServerState, Replica, type ServerState, type Statements } from './replica.ts'

const lookEveryMs = 2000

/** Time-outs for a replica. After them, the primary is queried, with its own time-outs. */
export const replicaTimeouts = { connectionTimeoutMillis: 1000, query_timeout: 2000, statement_timeout: 2000 }
/** Pool options for the health checks of a server. */
export const healthCheckTimeouts = { max: 1, connectionTimeoutMillis: 1000, query_timeout: 1000 }

/** The state of a replica. */
export interface ReplicaState {
  /** Its host and port. */
  name: string
  used: boolean
  /** Undefined if it is unknown. */
  lagSeconds: number | undefined
}

/** The replicas of a database. */
export interface Replicas {
  /** Reads from a healthy replica, or from the primary if there is none. */
  pool: PostgresPool
  states(): ReplicaState[]
  close(): Promise<void>
}

interface Options {
  urls: readonly string[]
  primary: { pool: PostgresPool; healthCheckPool: Pool }
  /** Opens a pool for health checks of a replica. */
  openHealthCheckPool(url: string): Pool
  /** Opens a replica to read from. */
  open(url: string): Statements
  log: Log
}

/**
 * Opens the replicas of a database and polls each every other second. A replica that is unavailable or more than 5 s
 * behind is out of use until it is healthy again. While the primary is unavailable, the lag refers to its last known
 * position.
 * @throws ConfigError if an address leads to another database
 */
export async function openReplicas({
  urls,
  primary,
  openHealthCheckPool,
  open,
  log,
}: Options): Promise<Replicas> {
  const replicas = urls.map(
    (url) => new Replica({ url, healthCheckPool: openHealthCheckPool(url), open: () => open(url), log }),
  )
  const positions = new PrimaryPositions()
  let known: ServerState | undefined
  const checkReplica = async (replica: Replica) => {
    try {
      const seen = await readServerState(replica.healthCheckPool)
      if (known && !isSame(known, seen)) replica.takeOutOfUse(otherDatabase)
      else replica.recordLag(lagOf(positions, seen))
      return seen
    } catch (error) {
      replica.lagMs = undefined
      replica.takeOutOfUse(error instanceof Error ? error.message : String(error))
      return undefined
    }
  }
  const checkAll = async () => {
    known = await readServerState(primary.healthCheckPool).catch(() => known)
    if (known?.position) positions.record(known.position, performance.now())
    return Promise.all(replicas.map(checkReplica))
  }
  const polling = repeat(checkAll)
  const close = async () => {
    await polling.stop()
    await Promise.all([primary.healthCheckPool.end(), ...replicas.map((replica) => replica.close())])
  }
  const seen = await checkAll()
  const other = replicas[seen.findIndex((each) => each && known && !isSame(known, each))]
  if (other) {
    await close()
    throw new ConfigError(
      `DATABASE_READ_URL: ${other.name} is not a replica of the database: ${otherDatabase}.`,
    )
  }
  polling.start()
  return {
    pool: createReplicaPool(replicas, primary.pool, log),
    states: () =>
      replicas.map(({ name, pool, lagMs }) => ({
        name,
        used: pool !== undefined,
        lagSeconds: lagMs === undefined ? undefined : lagMs / 1000,
      })),
    close,
  }
}

const otherDatabase = 'it has another database'

const isSame = (one: ServerState, other: ServerState) =>
  one.system === other.system && one.database === other.database

/**
 * Returns the lag of a replica. If the lag began before this process started, it is computed from the clocks of both
 * machines.
 */
function lagOf(positions: PrimaryPositions, { position, appliedMsAgo }: ServerState): number | undefined {
  if (position === null) return undefined
  return positions.lagOf(position, performance.now()) ?? appliedMsAgo ?? undefined
}

/** Repeats work, one run at a time. */
function repeat(work: () => Promise<unknown>): { start(): void; stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let working: Promise<unknown> = Promise.resolve()
  let stopped = false
  const start = () => {
    if (stopped) return
    timer = setTimeout(() => {
      working = work().finally(start)
    }, lookEveryMs).unref()
  }
  return {
    start,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await working
    },
  }
}
