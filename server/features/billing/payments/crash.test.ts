import { afterAll, beforeAll, expect, test } from 'vitest'
import { getSavedPaymentMethod } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { compareSandboxBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { runConcurrently } from '#server/testing/run-concurrently.ts'
import {
  crashPointsBeforeEach,
  simulateCrashInBilling,
  type StatementCounts,
} from '#server/testing/crash/crash-in-billing.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import type { CrashPoint } from '#server/testing/crash/crashing-pool.ts'
import { type ScriptResult, runScript } from '#server/testing/crash/run-script.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { payOrder } from './pay-order.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

/** A payment with a saved card needs only one request, without a token. */
type Kind = 'episode' | 'plan' | 'episode with a saved card'

interface Ready {
  userId: string
  orderId: string
  token?: string
}

async function readyToPay(kind: Kind): Promise<Ready> {
  const shopper = await Shopper.create(site)
  const plan = await shopper.plan(7)
  const order = await shopper.order(
    kind === 'plan' ? { kind, plan_id: plan.id } : { episode_id: site.video.episodes[3]?.id },
  )
  const { id } = await shopper.visitor.callOk(getUser)
  if (kind === 'episode with a saved card') {
    await shopper.buy({
      episode_id: site.video.episodes[4]?.id,
      save_method: { terms_text: 'Save this card' },
    })
    const { saved_method } = await shopper.visitor.callOk(getSavedPaymentMethod)
    const row = site.context.db.updateTable('orders').where('id', '=', order.id)
    await row.set({ saved_method_id: saved_method?.id }).execute()
    return { userId: id, orderId: order.id }
  }
  return { userId: id, orderId: order.id, token: await shopper.cardToken() }
}

/** Pays in this process until the simulated crash. */
const payUntil = (crashPoint: CrashPoint, { userId, orderId, token }: Ready) => {
  const payer = { ip: '127.0.0.1', token, firstName: 'Ada', lastName: 'Lovelace' }
  return simulateCrashInBilling(site.databaseUrl, crashPoint, (context) =>
    payOrder(context, userId, orderId, payer),
  )
}

/** Pays in a separate process. */
const payIn = ({ userId, orderId, token }: Ready, { when, at }: CrashPoint): Promise<ScriptResult> =>
  runScript('pay-and-crash.ts', [site.databaseUrl, userId, orderId, token ?? '', when, String(at)])

/** Runs the janitor job until no payment is open. */
async function settleAll(): Promise<void> {
  for (const wait of [15_000, 30_000, 90_000, 400_000, 4_000_000]) {
    site.advanceClock(wait)
    for (let round = 0; round < 10; round++) await runJanitor(site.context)
  }
}

/**
 * Returns `sold` if an order is paid, charged once and granted once, and `untouched` if it is none of these. Otherwise
 * returns the figures.
 */
async function outcomeOf(orderId: string): Promise<string> {
  const { db } = site.context
  const order = await db
    .selectFrom('orders')
    .select('status')
    .where('id', '=', orderId)
    .executeTakeFirstOrThrow()
  const entitlements = await db
    .selectFrom('entitlements')
    .select('id')
    .where('order_id', '=', orderId)
    .execute()
  const payments = (await listAllPayments(site.sandboxGateway)).filter(
    (payment) => payment.orderId === orderId && payment.status === 'succeeded',
  )
  const lines = await db.selectFrom('ledger_lines').select('id').where('order_id', '=', orderId).execute()
  const figures = `${order.status}, ${payments.length} charged, ${entitlements.length} given, ${lines.length} lines`
  return (
    { 'paid, 1 charged, 1 given, 2 lines': 'sold', 'pending, 0 charged, 0 given, 0 lines': 'untouched' }[
      figures
    ] ?? figures
  )
}

async function wholeRun(kind: Kind): Promise<StatementCounts> {
  const ready = await readyToPay(kind)
  const run = await payUntil({ when: 'never', at: 0 }, ready)
  expect(await outcomeOf(ready.orderId)).toBe('sold')
  return run
}

/** Lets other processes complete the crashed payments. Returns the outcomes of all orders. */
async function outcomesOf(orderIds: readonly string[]): Promise<Set<string>> {
  await settleAll()
  const outcomes = new Set<string>()
  for (const id of orderIds) outcomes.add(await outcomeOf(id))
  const open = await site.context.db
    .selectFrom('payment_attempts')
    .select('id')
    .where('status', 'in', ['started', 'unknown'])
    .execute()
  expect(open).toEqual([])
  const balances = await compareSandboxBalance(site.context.db)
  expect(balances.ledgerCents).toBe(balances.gatewayCents)
  return outcomes
}

test.each(['episode', 'plan', 'episode with a saved card'] as const)(
  'a payment for one %s is charged and unlocks once, or not at all, if the process dies at any statement',
  { timeout: 600_000 },
  async (kind) => {
    const orderIds: string[] = []
    await runConcurrently(crashPointsBeforeEach(await wholeRun(kind)), async (crashPoint) => {
      const ready = await readyToPay(kind)
      expect(await payUntil(crashPoint, ready)).toMatchObject({ crashed: true })
      orderIds.push(ready.orderId)
    })
    expect(await outcomesOf(orderIds)).toEqual(new Set(['sold', 'untouched']))
  },
)

test.each(['episode', 'plan', 'episode with a saved card'] as const)(
  'a payment for one %s is charged and unlocks once, or not at all, if the process is killed during any commit',
  { timeout: 600_000 },
  async (kind) => {
    const orderIds: string[] = []
    const { commits } = await wholeRun(kind)
    await runConcurrently(commits, async (at) => {
      const ready = await readyToPay(kind)
      expect(await payIn(ready, { when: 'sent', at })).toMatchObject({ signal: 'SIGKILL' })
      orderIds.push(ready.orderId)
    })
    for (const outcome of await outcomesOf(orderIds)) expect(['sold', 'untouched']).toContain(outcome)
  },
)
