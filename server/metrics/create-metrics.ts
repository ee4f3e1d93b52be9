import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { Context } from '#server/context.ts'
import { explainListenError } from '#server/platform/config/config-error.ts'
import { observeWaits } from '#server/platform/database/connection-waits.ts'
import { diskBytes, freeBytes } from '#server/platform/processes/disk-guard.ts'
import type { CompletedRequest, RefusedRequest } from '#server/platform/http/report-requests.ts'
import type { CompletedJobRun } from '#server/platform/jobs/jobs.ts'
import { siteVersion } from '#server/platform/site-version.ts'
import { jobQueueAge } from './job-queue-age.ts'
import { databaseGauges, type Reading } from './metrics-queries.ts'

/** Events that the site reports to its metrics. */
export interface SiteMetrics {
  observeCall(call: CompletedRequest): void
  observeRefusal(refusal: RefusedRequest): void
  /** @param name the name of an analytics event */
  countEvent(name: string): void
  observeJob(run: CompletedJobRun): void
}

export interface Metrics extends SiteMetrics {
  /** Serves `/metrics` at METRICS_PORT. @throws ConfigError if the port is in use */
  listen(): Promise<void>
  close(): Promise<void>
}

const prefix = 'cliffhanger_'
/** Histogram buckets in seconds. The alert for slow payment calls uses the bucket of 1 s. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const jobBuckets = [0.01, 0.1, 1, 10, 60, 600]
const waitBuckets = [0.001, 0.01, 0.1, 0.5, 1, 5, 10]
/**
 * Player events that measure playback quality (docs/playback.md). Other names are not counted, because browsers may
 * send any name.
 */
const playbackEvents = new Set(['play_start', 'play_stall', 'play_error'])
/** Maximum time to receive the headers of a request. Without it, unfinished requests would hold connections. */
const headersTimeoutMs = 10_000

/** Creates the metrics of one process, and the server that Prometheus scrapes. */
export function createMetrics(context: Context, { port, host }: { port: number; host: string }): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addProcessGauges(context, registry)
  if (context.config.role !== 'worker') {
    addReplicaGauges(context, registry)
    addDatabaseGauges(context, registry)
  }
  const { calls, refusals, playback, jobs, waits } = createInstruments(registry)
  const stopObserving = observeWaits(({ queue, seconds }) => waits.observe({ queue }, seconds))
  const server = createServer((request, response) => void serveMetrics(context, registry, request, response))
  server.headersTimeout = headersTimeoutMs
  return {
    observeCall: ({ method, route, status, seconds }) => calls.observe({ method, route, status }, seconds),
    observeRefusal: ({ route, reason }) => refusals.inc({ route, reason }),
    countEvent(event) {
      if (playbackEvents.has(event)) playback.inc({ event })
    },
    observeJob: ({ job, outcome, seconds }) => jobs.observe({ job, outcome }, seconds),
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', (error) =>
          reject(explainListenError(error, { host, port, settings: 'METRICS_' })),
        )
        server.listen(port, host, () => resolve())
      }),
    async close() {
      stopObserving()
      const closed = new Promise((resolve) => server.close(resolve))
      // `close` also waits for connections that have not sent anything yet.
      server.closeAllConnections()
      await closed
    },
  }
}

/** Creates the metrics of events that the site reports. */
function createInstruments(registry: Registry) {
  const registers = [registry]
  const calls = new Histogram({
    registers,
    name: `${prefix}http_request_duration_seconds`,
    help: 'Duration of requests by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets,
  })
  const refusals = new Counter({
    registers,
    name: `${prefix}refusals_total`,
    help: 'Calls that a business rule refused, by route and reason; `locked` means that an entitlement is missing',
    labelNames: ['route', 'reason'],
  })
  const playback = new Counter({
    registers,
    name: `${prefix}playback_events_total`,
    help: "The player's events: play_start, play_stall, play_error",
    labelNames: ['event'],
  })
  const jobs = new Histogram({
    registers,
    name: `${prefix}job_duration_seconds`,
    help: 'Duration of the runs of scheduled jobs by outcome, in the process that runs them',
    labelNames: ['job', 'outcome'],
    buckets: jobBuckets,
  })
  for (const event of playbackEvents) playback.inc({ event }, 0)
  const waits = new Histogram({
    registers,
    name: `${prefix}database_wait_seconds`,
    help: 'How long statements wait: for a connection of the pool (pool), or for earlier statements on a shared connection (lookUp, read)',
    labelNames: ['queue'],
    buckets: waitBuckets,
  })
  return { calls, refusals, playback, jobs, waits }
}

async function serveMetrics(
  { log }: Context,
  registry: Registry,
  { url, method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== 'GET' || url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
  try {
    const text = await registry.metrics()
    response.writeHead(200, { 'content-type': registry.contentType }).end(text)
  } catch (error) {
    log.error({ err: error }, 'The metrics could not be read')
    response.writeHead(500).end()
  }
}

function addProcessGauges({ config, database }: Context, registry: Registry): void {
  const build = new Gauge({
    registers: [registry],
    name: `${prefix}build_info`,
    help: 'Version and role of this process',
    labelNames: ['version', 'role'],
  })
  build.set({ version: siteVersion, role: config.role }, 1)
  addGauge(registry, {
    name: 'database_connections',
    help: 'Connections of this process to the database, and callers that wait for one',
    labelNames: ['state'],
    read: async () => {
      const { totalCount, idleCount, waitingCount } = database.pool
      const states = { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
      return Object.entries(states).map(([state, value]) => ({ labels: { state }, value }))
    },
  })
  addGauge(registry, {
    name: 'disk_free_bytes',
    help: 'Free space on the disk of DATA_DIR',
    read: async () => [{ value: await freeBytes(config.dataDir) }],
  })
  addGauge(registry, {
    name: 'disk_size_bytes',
    help: 'Size of the disk of DATA_DIR',
    read: async () => [{ value: await diskBytes(config.dataDir) }],
  })
}

/** Adds gauges of the replicas in DATABASE_READ_URL, as this process last checked them. */
function addReplicaGauges({ database }: Context, registry: Registry): void {
  addGauge(registry, {
    name: 'read_replica_lag_seconds',
    help: 'Lag of each replica of DATABASE_READ_URL; absent for a replica that does not respond',
    labelNames: ['replica'],
    read: async () =>
      database
        .replicas()
        .flatMap(({ name: replica, lagSeconds: value }) =>
          value === undefined ? [] : [{ labels: { replica }, value }],
        ),
  })
  addGauge(registry, {
    name: 'read_replica_used',
    help: '1 if a replica of DATABASE_READ_URL is in use, 0 if it is left out',
    labelNames: ['replica'],
    read: async () =>
      database.replicas().map(({ name: replica, used }) => ({ labels: { replica }, value: Number(used) })),
  })
}

/**
 * Adds gauges that are read from the database. A failed reading is omitted and logged. The readings run one after
 * another, to leave connections for viewers.
 */
function addDatabaseGauges(context: Context, registry: Registry): void {
  const { db, clock, log } = context
  const gauges = { ...databaseGauges, job_queue_age_seconds: jobQueueAge(context) }
  let last: Promise<unknown> = Promise.resolve()
  for (const [name, { read, ...gauge }] of Object.entries(gauges)) {
    const readOrLog = () =>
      read(db, clock.now()).catch((error: unknown) => {
        log.warn({ err: error, metric: name }, 'A metric could not be read from the database')
        return []
      })
    addGauge(registry, {
      ...gauge,
      name,
      read() {
        const readings = last.then(readOrLog)
        last = readings
        return readings
      },
    })
  }
}

interface ReadGauge {
  name: string
  help: string
  labelNames?: readonly string[]
  /** Called at each scrape. */
  read(): Promise<Reading[]>
}

function addGauge(registry: Registry, { name, help, labelNames = [], read }: ReadGauge): void {
  const gauge = new Gauge({
    registers: [],
    name: prefix + name,
    help,
    labelNames,
    async collect() {
      const readings = await read()
      this.reset()
      for (const { labels = {}, value } of readings) this.set(labels, value)
    },
  })
  registry.registerMetric(gauge)
}
