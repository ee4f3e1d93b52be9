import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewayId, createOrder } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { createContext, type Context } from '#server/context.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import {
  countUnfinished,
  countBillingErrors,
  type GatewayErrorCounts,
  type Sale,
} from '#server/testing/billing-model/count-billing-errors.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { createEmptyWebRoot } from '#server/testing/site/test-site.ts'
import { unlimited } from '#server/testing/site/unlimited.ts'
import type { Tables } from '#server/tables.ts'
import { benchEnv } from '#bench/site/start-bench-site.ts'
import { printLines } from '#bench/result-table.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { runCheckout, type CheckoutSite } from './run-checkout.ts'
import type { SiteOptions } from './run-billing-site.ts'
import { startFakeGateways, type FakeGateways } from './fake-gateways.ts'

const second = 1000
const hour = 3600 * second
const day = 24 * hour
/** Steps by which the clock advances at the end, in total long enough for the last daily poll of a payment's state. */
const settleSteps = [20 * second, 60 * second, 6 * 60 * second, hour, hour, day, day, day, day, day, day]
const lastSteps = [20 * second, 60 * second, 6 * 60 * second, hour, day, day, day, day, day, day]
/** A free port, so that several benches can run at the same time. */
const port = await freePort()

/** The database, products and gateways of a site. They remain when the site's processes are killed. */
export interface BillingBench {
  env: NodeJS.ProcessEnv
  options: SiteOptions
  fakes: FakeGateways
  sales: Sale[]
  /** Sets the clocks of the gateways. The caller sets the clocks of the site's processes. */
  setAhead(aheadMs: number): void
  /** Buys a random product at a random gateway. */
  buy(timeoutMs: number): Promise<Sale | undefined>
  /** Runs the jobs for open payments, renewals and reconciliation for the following days, without faults. */
  settle(): Promise<void>
  /**
   * Prints the results.
   * @returns true if there are no errors, and each gateway has at least one of each kind in `tried`
   */
  report(tried: readonly ('sales' | 'renewals' | 'refunds')[]): Promise<boolean>
  close(): Promise<void>
}

export async function startBillingBench(): Promise<BillingBench> {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-shop-'))
  const url = `http://localhost:${port}`
  const fakes = await startFakeGateways(url)
  const env = {
    ...benchEnv(join(home, 'data')),
    ...fakes.env,
    PORT: String(port),
    PUBLIC_URL: url,
    LOG_LEVEL: 'silent',
    RATE_LIMIT_CARD_FAILURES_PER_USER: unlimited,
    RATE_LIMIT_CARD_FAILURES_PER_IP: unlimited,
  }
  const config = loadConfig(env)
  const log = createLog({ json: true, level: 'silent' })
  const database = await openDatabase<Tables>(config, log)
  const options: SiteOptions = { webRoot: createEmptyWebRoot(home), aheadMs: 0 }
  const clock = { now: () => new Date(Date.now() + options.aheadMs) }
  const context = await createContext(config, log, { database, clock, webRoot: options.webRoot })
  const products = await listProducts(context)
  const shop = { url, fakes, visitor: visitorFactory(url) }
  const sales: Sale[] = []
  const setAhead = (aheadMs: number) => {
    options.aheadMs = aheadMs
    fakes.setAhead(aheadMs)
  }
  return {
    env,
    options,
    fakes,
    sales,
    setAhead,
    async buy(timeoutMs) {
      const sale = await runCheckout({ ...shop, timeoutMs } satisfies CheckoutSite, pickRandomOrder(products))
      if (sale) sales.push(sale)
      return sale
    },
    async settle() {
      fakes.recover()
      fakes.endScenarios()
      for (const step of settleSteps) {
        setAhead(options.aheadMs + step)
        await renewDueSubscriptions(context)
        await lookUpDue(context)
        await reconcile(context)
      }
      // On a slow machine, the last renewals may still have an open payment. From here on, no new payments start.
      for (const step of lastSteps) {
        setAhead(options.aheadMs + step)
        await lookUpDue(context)
      }
      await reconcile(context)
    },
    report(tried) {
      const counts = Object.entries(fakes.scenarios.eventCounts).map(
        ([scenario, times]) => `${scenario} ${times}`,
      )
      console.log(`At PayPal: ${counts.join(', ')}.`)
      return report(context, sales, tried)
    },
    async close() {
      await fakes.close()
      await context.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Repeats the jobs, because each run processes only a part of the due work, and may create more. */
async function lookUpDue(context: Context): Promise<void> {
  const dueNow = () =>
    context.db
      .selectFrom('payment_attempts')
      .select('id')
      .where('next_poll_at', '<=', context.clock.now())
      .where('status', 'in', [...openAttemptStatuses])
      .executeTakeFirst()
  for (let round = 0; round < 20 || (await dueNow()); round++) await runJanitor(context)
}

type Goods = Omit<BodyOf<typeof createOrder>, 'email' | 'gateway'>

async function listProducts(context: Context): Promise<Goods[]> {
  const video = await buildVideo(context)
  // All customers use the same test card, and a card gets an introductory price only once.
  await context.db.updateTable('plans').set({ intro_price_cents: null }).execute()
  const plans = await context.db.selectFrom('plans').select('id').where('period_days', '<', 60).execute()
  return [
    { kind: 'episode', episode_id: video.episodes[4]?.id },
    { kind: 'video', video_id: video.id },
    ...plans.map(({ id }) => ({ kind: 'plan' as const, plan_id: id })),
  ]
}

function pickRandomOrder(products: readonly Goods[]): Goods & { gateway: GatewayId } {
  const paymentMethods = [
    { gateway: 'sandbox', method: 'card' },
    { gateway: 'stripe', method: 'card' },
    { gateway: 'paypal', method: 'wallet' },
  ] satisfies { gateway: GatewayId; method: 'card' | 'wallet' }[]
  const [product, paymentMethod] = [pickRandom(products), pickRandom(paymentMethods)]
  return { ...product, ...paymentMethod }
}

/** Returns a random element. All have the same probability. */
export function pickRandom<T>(list: readonly T[]): T {
  const found = list[Math.floor(Math.random() * list.length)]
  if (found === undefined) throw new Error('the list is empty')
  return found
}

async function report(
  { db, gateways }: Context,
  sales: readonly Sale[],
  tried: readonly ('sales' | 'renewals' | 'refunds')[],
): Promise<boolean> {
  const lines: GatewayErrorCounts[] = []
  for (const gateway of gateways) lines.push(await countBillingErrors(db, gateway, sales))
  printLines([
    [
      'gateway',
      'sales',
      'renewals',
      'refunds',
      'lost',
      'doubled',
      'paid, not entitled',
      'entitled, not paid',
      'our ledger',
      "the gateway's",
    ],
    ...lines.map(({ gateway, ...numbers }) => [gateway, ...Object.values(numbers).map(String)]),
  ])
  const open = await countUnfinished(db)
  const words = Object.entries(open).map(([what, count]) => `${what} ${count}`)
  console.log(`Unfinished, or unbalanced in the ledger: ${words.join(', ')}.`)
  for (const attempt of await selectOpen(db)) console.log(`Left open: ${JSON.stringify(attempt)}`)
  const sound = lines.every(
    (line) =>
      line.lostPayments + line.paidTwice + line.paidWithoutEntitlement + line.entitledWithoutPayment === 0 &&
      line.ledgerCents === line.gatewayCents &&
      tried.every((what) => line[what] > 0),
  )
  return sound && Object.values(open).every((count) => count === 0)
}

/** Returns the payments that are not in a final state. */
function selectOpen(db: Context['db']): Promise<object[]> {
  return db
    .selectFrom('payment_attempts')
    .innerJoin('orders', 'orders.id', 'payment_attempts.order_id')
    .where('payment_attempts.status', 'in', [...openAttemptStatuses])
    .select([
      'orders.gateway',
      'orders.kind',
      'orders.period_no',
      'payment_attempts.status',
      'started_at',
      'next_poll_at',
    ])
    .execute()
}
