import { pino } from 'pino'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import type { Behaviour } from '#server/features/billing/gateways/sandbox/cards.ts'
import { sandboxRoutes } from '#server/features/billing/gateways/sandbox/routes.ts'
import { createSandboxGateway } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import type { SandboxContext } from '#server/features/billing/gateways/sandbox/sandbox-context.ts'
import { dayMs } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite } from '#server/testing/site/test-site.ts'
import { unlimited } from '#server/testing/site/unlimited.ts'
import type { Db } from '#server/tables.ts'
import { recordStateChanges } from './read-books.ts'

/** Faults in the network between the site and its gateway. */
export type Fault =
  | 'none'
  | 'the request is lost'
  | 'the request is late'
  | 'the answer is lost'
  | 'no answers'

/** A webhook event that the gateway sends. */
export interface WebhookEvent {
  reference: string
  delivered: boolean
  /** True if the event never arrives. */
  dropped: boolean
}

interface GatewayNetwork {
  fault: Fault
  late: (() => Promise<unknown>)[]
}

/** Names of the products: two locked episodes, their video, and plans of three lengths. */
export type ProductName =
  | 'episode 4'
  | 'episode 5'
  | 'the video'
  | 'the 2-day plan'
  | 'the 7-day plan'
  | 'the 30-day plan'

export type ProductParams =
  | { kind: 'episode'; episode_id: string; video_id: string }
  | { kind: 'video'; video_id: string }
  | { kind: 'plan'; plan_id: string; days: number }

/**
 * The billing system with its own database and clock, so that several sequences of steps can run concurrently. Its
 * gateway is the sandbox, behind a network that can have faults.
 */
export interface BillingHarness {
  db: Db
  pool: TestDatabase['pool']
  context: BillingContext
  /** The gateway without the network's faults. */
  gateway: PaymentGateway
  sandbox: SandboxContext
  products: Record<ProductName, ProductParams>
  videoId: string
  /** Ids of the locked episodes. */
  locked: string[]
  line: GatewayNetwork
  events: WebhookEvent[]
  /** Delayed requests that have not yet reached the gateway. */
  late: (() => Promise<unknown>)[]
  /** Errors that the site has logged. */
  errors: string[]
  now(): number
  advanceClock(milliseconds: number): void
  /** Creates a card token, as the gateway's card form does. */
  newToken(behaviour: Behaviour): Promise<string>
  /** Deletes the data of the previous sequence and resets the clock. */
  reset(): Promise<void>
  close(): Promise<void>
}

const plans = {
  'the 2-day plan': [2, 199],
  'the 7-day plan': [7, 499],
  'the 30-day plan': [30, 1299],
} as const
/** Introductory price in cents of the 7-day plan. */
export const introCents = 99

export async function openBillingHarness(): Promise<BillingHarness> {
  const database = await createTestDatabase()
  // The books are read by a named statement, which needs a connection that keeps its session.
  const { db, sessions: pool } = database
  const start = Date.now()
  let time = start
  const clock = { now: () => new Date(time) }
  const events: WebhookEvent[] = []
  const notify = (reference: string) => void events.push({ reference, delivered: false, dropped: false })
  const sandbox: SandboxContext = { db, clock, secret: 'a secret of the tests', notify }
  const gateway = createSandboxGateway(sandbox)
  const late: GatewayNetwork['late'] = []
  const line: GatewayNetwork = { fault: 'none', late }
  const gateways = { gateways: [withNetworkFaults(gateway, line)], gatewayRoutes: sandboxRoutes(sandbox) }
  const settings = {
    RATE_LIMIT_CARD_FAILURES_PER_USER: unlimited,
    RATE_LIMIT_CARD_FAILURES_PER_IP: unlimited,
  }
  const site = await startTestSite({ database, clock, gateways }, settings)
  const errors: string[] = []
  const log = pino({ level: 'error' }, { write: (entry: string) => void errors.push(entry) })
  const video = await buildVideo(site.context)
  await recordStateChanges(db)
  await createResetFunction(pool)
  return {
    db,
    pool,
    context: { ...site.context, log },
    gateway,
    sandbox,
    products: await createProducts(db, video),
    videoId: video.id,
    locked: video.episodes.slice(3).map(({ id }) => id),
    line,
    late,
    events,
    errors,
    now: () => time,
    advanceClock: (milliseconds) => void (time += milliseconds),
    async newToken(behaviour) {
      const token = newId('pm')
      const expires_at = new Date(time + dayMs)
      const card = { behaviour, brand: 'visa', last4: '4242' }
      await db
        .insertInto('sandbox_tokens')
        .values({ token, ...card, expires_at })
        .execute()
      return token
    },
    async reset() {
      time = start
      line.fault = 'none'
      late.length = 0
      events.length = 0
      errors.length = 0
      await resetTables(pool, clock.now())
    },
    close: () => site.close(),
  }
}

/** Returns a gateway behind a network that can have faults. */
function withNetworkFaults(gateway: PaymentGateway, line: GatewayNetwork): PaymentGateway {
  const sendWrite = async <T>(call: () => Promise<T>): Promise<T> => {
    if (line.fault === 'the request is late') line.late.push(call)
    if (line.fault !== 'none' && line.fault !== 'the answer is lost') throw new Error(line.fault)
    const answer = await call()
    if (line.fault === 'the answer is lost') throw new Error(line.fault)
    return answer
  }
  const sendRead = async <T>(call: () => Promise<T>): Promise<T> => {
    if (line.fault === 'no answers') throw new Error(line.fault)
    return call()
  }
  return {
    ...gateway,
    createPayment: (charge) => sendWrite(() => gateway.createPayment(charge)),
    chargeSavedMethod: (charge) => sendWrite(() => gateway.chargeSavedMethod(charge)),
    refundPayment: (refund) => sendWrite(() => gateway.refundPayment(refund)),
    confirmPayment: (reference) => sendRead(() => gateway.confirmPayment(reference)),
    retrievePayment: (lookup) => sendRead(() => gateway.retrievePayment(lookup)),
    cancelPayment: (reference) => sendRead(() => gateway.cancelPayment(reference)),
    detachMethod: (reference) => sendRead(() => gateway.detachMethod(reference)),
    isMethodAttached: (reference) => sendRead(() => gateway.isMethodAttached(reference)),
    async *listPayments(since, settled) {
      yield* await sendRead(async () => gateway.listPayments(since, settled))
    },
    methodSetups: {
      start: (request) => sendWrite(() => gateway.methodSetups.start(request)),
      complete: (reference) => sendRead(() => gateway.methodSetups.complete(reference)),
      retrieve: (lookup) => sendRead(() => gateway.methodSetups.retrieve(lookup)),
      cancel: (reference) => sendRead(() => gateway.methodSetups.cancel(reference)),
    },
  }
}

async function createProducts(
  db: Db,
  video: Awaited<ReturnType<typeof buildVideo>>,
): Promise<BillingHarness['products']> {
  const episode = (number: number) =>
    ({
      kind: 'episode',
      video_id: video.id,
      episode_id: video.episodes[number - 1]?.id ?? '',
    }) as const
  const plan = async (name: keyof typeof plans) => {
    const id = newId('plan')
    const [days, price_cents] = plans[name]
    const names = JSON.stringify({ en: name })
    const intro_price_cents = days === 7 ? introCents : null
    await db
      .insertInto('plans')
      .values({
        id,
        names,
        descriptions: names,
        price_cents,
        intro_price_cents,
        currency: 'USD',
        period_days: days,
      })
      .execute()
    return { kind: 'plan', plan_id: id, days } as const
  }
  return {
    'episode 4': episode(4),
    'episode 5': episode(5),
    'the video': { kind: 'video', video_id: video.id },
    'the 2-day plan': await plan('the 2-day plan'),
    'the 7-day plan': await plan('the 7-day plan'),
    'the 30-day plan': await plan('the 30-day plan'),
  }
}

/** Tables in the order of deletion: a row is deleted before the rows that it refers to. */
const tables = [
  'state_changes',
  'entitlements',
  'order_links',
  'used_intro_prices',
  'unaggregated_ledger_lines',
  'ledger_lines',
  'refunds',
  'payment_attempts',
  'payment_method_setups',
  'orders',
  'subscriptions',
  'payment_methods',
  'webhook_events',
  'payment_discrepancies',
  'unmatched_payments',
  'mails',
  'sandbox_disputes',
  'sandbox_refunds',
  'sandbox_payments',
  'sandbox_method_setups',
  'sandbox_payment_methods',
  'sandbox_tokens',
  'users',
]

/** Creates an SQL function that empties the tables which a sequence fills. */
async function createResetFunction(pool: TestDatabase['pool']): Promise<void> {
  const deletions = tables.map((table) => `DELETE FROM ${table};`)
  await pool.query(
    `CREATE FUNCTION forget_all() RETURNS void LANGUAGE plpgsql AS $$ BEGIN ${deletions.join(' ')} END $$`,
  )
  // Autovacuum locks an emptied table while it truncates the file, for longer than a read may wait.
  for (const table of tables) await pool.query(`ALTER TABLE ${table} SET (vacuum_truncate = off)`)
}

/** Empties the tables, and marks the reconciliation as up to date, as on a site that has run for some time. */
async function resetTables(pool: TestDatabase['pool'], now: Date): Promise<void> {
  await pool.query('SELECT forget_all()')
  await pool.query(
    `INSERT INTO reconciliations (gateway, reconciled_until) VALUES ('sandbox', $1)
     ON CONFLICT (gateway) DO UPDATE SET reconciled_until = excluded.reconciled_until`,
    [now],
  )
}
