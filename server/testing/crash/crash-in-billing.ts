import { Socket } from 'node:net'
import { languages } from '#contract/languages.ts'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { createSandboxGateway } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import { systemClock } from '#server/platform/clock.ts'
import { readRateLimits } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { readOperator } from '#server/platform/config/read-operator.ts'
import { createSlots } from '#server/platform/http/limits/concurrency-slots.ts'
import { noQuotas } from '#server/platform/network-quotas.ts'
import { readResourceLimits } from '#server/platform/config/read-resource-limits.ts'
import { readTracking } from '#server/platform/config/read-tracking.ts'
import type { Tables } from '#server/tables.ts'
import { openCrashingPool, type CrashPoint } from './crashing-pool.ts'

type Work = (context: BillingContext) => Promise<void>

/** Result of a complete run: the number of statements, and which of them were commits. */
export interface StatementCounts {
  statements: number
  commits: number[]
}

/**
 * Runs billing work in this process, which kills itself with SIGKILL at the crash point that its arguments name. If the
 * work completes, the process prints its `StatementCounts`.
 */
export async function crashInBilling(
  url: string,
  [when = 'never', at = '0']: readonly string[],
  work: Work,
): Promise<void> {
  // The cast is safe: the tests pass only valid values.
  const crashPoint = { when, at: Number(at) } as CrashPoint
  const crashing = openCrashingPool({ connectionString: url }, crashPoint, () =>
    process.kill(process.pid, 'SIGKILL'),
  )
  const db = await connect(crashing.pool)
  await work(billingContextOn(db))
  await db.destroy()
  process.stdout.write(`${JSON.stringify(describeRun(crashing.statements))}\n`)
}

/**
 * Runs billing work until a simulated crash, which is much faster than killing a real process. As with SIGKILL, the
 * database loses its connections and the code never continues.
 * @returns the number of statements sent, and whether the crash happened
 */
export async function simulateCrashInBilling(
  url: string,
  crashPoint: CrashPoint,
  work: Work,
): Promise<StatementCounts & { crashed: boolean }> {
  const crash = Promise.withResolvers<boolean>()
  const sockets: Socket[] = []
  const stream = () => {
    const socket = new Socket()
    sockets.push(socket)
    return socket
  }
  const crashing = openCrashingPool({ connectionString: url, stream }, crashPoint, () => {
    for (const socket of sockets) socket.destroy()
    crash.resolve(true)
  })
  crashing.pool.on('connect', (client) => client.on('error', () => {}))
  crashing.pool.on('error', () => {})
  const db = await connect(crashing.pool)
  const crashed = await Promise.race([crash.promise, work(billingContextOn(db)).then(() => false)])
  if (!crashed) await db.destroy()
  return { ...describeRun(crashing.statements), crashed }
}

/** Returns a crash point before each statement. */
export function crashPointsBeforeEach({ statements }: StatementCounts): CrashPoint[] {
  return Array.from({ length: statements }, (_, index) => ({ when: 'before', at: index + 1 }))
}

/** Opens the first connection, so that the statements that open a connection are not counted. */
async function connect(pool: pg.Pool): Promise<Kysely<Tables>> {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  await db.connection().execute(async () => {})
  return db
}

function describeRun(statements: readonly string[]): StatementCounts {
  const commits = statements.flatMap((text, index) => (text.toLowerCase() === 'commit' ? [index + 1] : []))
  return { statements: statements.length, commits }
}

function billingContextOn(db: Kysely<Tables>): BillingContext {
  const shared = { db, clock: systemClock, realClock: systemClock, secret: 'a secret of the tests' }
  return {
    ...shared,
    isHttps: false,
    publicUrl: 'http://localhost:3000',
    languages: () => languages,
    operator: readOperator({}),
    limits: readRateLimits({}),
    resourceLimits: readResourceLimits({}),
    concurrencySlots: createSlots(),
    quotas: noQuotas,
    lifecycleHooks: {
      storeGuest: [],
      register: [],
      consent: [],
      merge: [],
      signIn: [],
      lastActive: [],
      assertErasable: [],
      erase: [],
      export: [],
    },
    log: createLog({ json: true, level: 'silent' }),
    isBalanceEnabled: true,
    gateways: [createSandboxGateway({ ...shared, notify: () => {} })],
    tracking: readTracking({}),
    loadConsents: async () => new Map(),
    lockConsent: async () => false,
    findReferrer: async () => undefined,
    deleteOrderClickIds: async () => {},
    translate: (_language: string, key: string) => key,
    experiments: { running: () => Promise.resolve([]), recordExposures: () => Promise.resolve() },
    findCoveringEntitlement: () => Promise.reject(new Error('not asked for')),
  }
}
