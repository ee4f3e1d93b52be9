import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { createOrder } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { undoReason } from '#server/features/billing/balance/auto-unlock-windows.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { expireBonus } from '#server/features/billing/jobs/expire-bonus.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { createContext, type Context } from '#server/context.ts'
import { newId } from '#server/platform/ids.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import {
  countUnfinished,
  countBalanceErrors,
  countBillingErrors,
  countRepeatedPurchases,
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
import { runBalanceCustomer, type BalanceGoods } from './run-balance-customer.ts'
import { runCheckout, type CheckoutSite } from './run-checkout.ts'
import type { SiteOptions } from './run-billing-site.ts'
import { startFakeGateways, type FakeGateways } from './fake-gateways.ts'

/** Share of the customers who buy with a balance. */
const balanceShare = 0.4
const payments = [
  { gateway: 'sandbox', method: 'card' },
  { gateway: 'stripe', method: 'card' },
  { gateway: 'paypal', method: 'wallet' },
] satisfies BalanceGoods['payment'][]
const second = 1000
const hour = 3600 * second
const day = 24 * hour
/**
 * Steps by which `settle` advances the clock: `settleSteps` while subscriptions renew, then `lastSteps` without
 * renewals. The sum of each list exceeds the time until the last daily poll of a payment.
 */
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
  /** Buys a random product at a random gateway, or as a customer with a balance. */
  buy(timeoutMs: number): Promise<Sale[]>
  /** Runs the jobs for open payments, renewals and reconciliation for the following days, without faults. */
  settle(): Promise<void>
  /**
   * Prints the results.
   * @returns true if there are no errors, and each gateway had at least one case of every kind that `tried` lists
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
    PREPAID_BALANCE: 'on',
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
  const { products, balanceGoods } = await listGoods(context)
  const shop = { url, fakes, visitor: visitorFactory(url) }
  const sales: Sale[] = []
  const setAhead = (aheadMs: number) => {
    options.aheadMs = aheadMs
    fakes.setAhead(aheadMs)
  }
  const buyRandomly = async (site: CheckoutSite): Promise<Sale[]> => {
    const payment = pickRandom(payments)
    if (Math.random() < balanceShare)
      return runBalanceCustomer(site, {
        ...balanceGoods,
        topUpId: pickRandom(balanceGoods.topUpIds),
        payment,
      })
    const sale = await runCheckout(site, { ...pickRandom(products), ...payment })
    return sale ? [sale] : []
  }
  return {
    env,
    options,
    fakes,
    sales,
    setAhead,
    async buy(timeoutMs) {
      const bought = await buyRandomly({ ...shop, timeoutMs })
      sales.push(...bought)
      return bought
    },
    async settle() {
      fakes.recover()
      fakes.endScenarios()
      for (const step of settleSteps) {
        setAhead(options.aheadMs + step)
        await renewDueSubscriptions(context)
        await lookUpDue(context)
        await reconcile(context)
        await expireBonus(context)
      }
      // On a slow machine, the last renewals may still have an open payment. From here on, no new payments start.
      for (const step of lastSteps) {
        setAhead(options.aheadMs + step)
        await lookUpDue(context)
      }
      await reconcile(context)
    },
    report(tried) {
      console.log(`Scenarios at PayPal: ${listCounts(fakes.scenarios.eventCounts)}.`)
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

type Product = Omit<BodyOf<typeof createOrder>, 'email' | 'gateway'>

interface Goods {
  products: Product[]
  balanceGoods: Omit<BalanceGoods, 'topUpId' | 'payment'> & { topUpIds: string[] }
}

async function listGoods(context: Context): Promise<Goods> {
  const { id: videoId, episodes } = await buildVideo(context, { episodes: 8 })
  const locked = episodes.slice(3).map(({ id }) => id)
  // All customers use the same test card, and a card gets an introductory price only once.
  await context.db.updateTable('plans').set({ intro_price_cents: null }).execute()
  const plans = await context.db.selectFrom('plans').select('id').where('period_days', '<', 60).execute()
  const topUps = [
    { id: newId('top'), price_cents: 300, currency: 'USD' },
    { id: newId('top'), price_cents: 500, bonus_cents: 120, bonus_days: 1, currency: 'USD' },
  ]
  await context.db.insertInto('top_up_products').values(topUps).execute()
  return {
    products: [
      { kind: 'episode', episode_id: locked[0] },
      { kind: 'video', video_id: videoId },
      ...plans.map(({ id }) => ({ kind: 'plan' as const, plan_id: id })),
    ],
    balanceGoods: { topUpIds: topUps.map(({ id }) => id), videoId, episodeIds: locked },
  }
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
  lines.push(await countBalanceErrors(db, sales))
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
  const open = { ...(await countUnfinished(db)), repeated: await countRepeatedPurchases(db) }
  console.log(`Use of balances and saved cards: ${listCounts(await countBalanceUse(db))}.`)
  console.log(`Unfinished, or unbalanced in the ledger: ${listCounts(open)}.`)
  for (const attempt of await selectOpen(db)) console.log(`Open payment: ${JSON.stringify(attempt)}`)
  const sound = lines.every(
    (line) =>
      line.lostPayments + line.paidTwice + line.paidWithoutEntitlement + line.entitledWithoutPayment === 0 &&
      line.ledgerCents === line.gatewayCents &&
      tried.every((what) => line[what] > 0 || (line.gateway === 'balance' && what === 'renewals')),
  )
  return sound && Object.values(open).every((count) => count === 0)
}

/** Counts what the customers did with balances and saved cards. */
async function countBalanceUse(db: Context['db']): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`SELECT
    (SELECT count(*) FROM orders WHERE paid_at IS NOT NULL AND kind = 'top_up')::int AS "top-ups",
    (SELECT count(*) FROM orders WHERE gateway = 'balance' AND NOT auto_unlock)::int AS unlocks,
    (SELECT count(*) FROM orders WHERE auto_unlock)::int AS "auto-unlocks",
    (SELECT count(*) FROM refunds WHERE reason = ${undoReason})::int AS undone,
    (SELECT count(*) FROM orders WHERE paid_at IS NOT NULL AND saved_method_id IS NOT NULL)::int AS "with a saved card",
    (SELECT count(*) FROM refunds WHERE reason = 'balance_refund')::int AS "top-ups refunded to customers",
    (SELECT count(*) FROM balance_entries WHERE kind = 'chargeback')::int AS chargebacks,
    (SELECT count(*) FROM balance_entries WHERE kind = 'bonus_expired')::int AS "bonuses expired"`.execute(db)
  return rows[0] ?? {}
}

const listCounts = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')

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
