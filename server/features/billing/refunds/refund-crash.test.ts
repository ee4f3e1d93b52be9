import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareGatewayBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { runConcurrently } from '#server/testing/run-concurrently.ts'
import { crashPointsBeforeEach, simulateCrashInBilling } from '#server/testing/crash/crash-in-billing.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import type { CrashPoint } from '#server/testing/crash/crashing-pool.ts'
import { type ScriptResult, runScript } from '#server/testing/crash/run-script.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { refundOrder } from './refund-order.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

/** Creates a paid plan, because the refund of a plan revokes the most. */
async function createPaidPlan(): Promise<{ person: Subscriber; orderId: string }> {
  const person = await Subscriber.create(site)
  const [order] = await person.orders()
  return { person, orderId: order?.id ?? '' }
}

/** Refunds in this process until the simulated crash. */
const refundUntil = (crashPoint: CrashPoint, orderId: string) =>
  simulateCrashInBilling(site.databaseUrl, crashPoint, async (context) => {
    await refundOrder(context, orderId, { reason: 'goodwill' })
  })

/** Refunds in a separate process. */
const refundIn = (orderId: string, { when, at }: CrashPoint): Promise<ScriptResult> =>
  runScript('refund-and-crash.ts', [site.databaseUrl, orderId, when, String(at)])

async function settleAll(): Promise<void> {
  for (const wait of [15_000, 30_000, 90_000, 400_000]) {
    site.advanceClock(wait)
    await runJanitor(site.context)
  }
}

/**
 * Returns the outcome of an order and its dependent records: `refunded` or `untouched`. For any other outcome, returns
 * the figures.
 */
async function outcomeOf(person: Subscriber, orderId: string): Promise<string> {
  const { db } = site.context
  const [order] = await person.orders()
  const lines = await db.selectFrom('ledger_lines').select('id').where('order_id', '=', orderId).execute()
  const [payment] = await person.payments('succeeded')
  const { status } = await person.subscriptionRow()
  const mails = (await site.mails(person.shopper.email)).filter(({ subject }) =>
    /Your (partial )?refund/.test(subject),
  )
  const plays = (await person.canPlay()) ? 'plays' : 'locked'
  const figures = `${order?.status} ${order?.refunded_cents}, ${payment?.refundedCents} back, ${lines.length} lines, ${status}, ${plays}, ${mails.length} mails`
  const cents = order?.amount_cents
  if (figures === `refunded ${cents}, ${cents} back, 4 lines, ended, locked, 1 mails`) return 'refunded'
  return figures === 'paid 0, 0 back, 2 lines, active, plays, 0 mails' ? 'untouched' : figures
}

test(
  'a refund is made once with all its effects, or not at all, if the process dies at any statement or during any commit',
  { timeout: 300_000 },
  async () => {
    const whole = await createPaidPlan()
    const run = await refundUntil({ when: 'never', at: 0 }, whole.orderId)
    expect(await outcomeOf(whole.person, whole.orderId)).toBe('refunded')
    // The site commits twice. Between its two transactions, the sandbox commits once.
    expect(run.commits).toHaveLength(3)
    const crashed: { person: Subscriber; orderId: string }[] = []
    await runConcurrently(crashPointsBeforeEach(run), async (crashPoint) => {
      const one = await createPaidPlan()
      expect(await refundUntil(crashPoint, one.orderId)).toMatchObject({ crashed: true })
      crashed.push(one)
    })
    await runConcurrently(run.commits, async (at) => {
      const one = await createPaidPlan()
      expect(await refundIn(one.orderId, { when: 'sent', at })).toMatchObject({ signal: 'SIGKILL' })
      crashed.push(one)
    })
    await settleAll()
    const outcomes = new Set<string>()
    for (const { person, orderId } of crashed) outcomes.add(await outcomeOf(person, orderId))
    expect(outcomes).toEqual(new Set(['refunded', 'untouched']))
    const { ledgerCents, gatewayCents } = await compareGatewayBalance(site.context.db, site.sandboxGateway)
    expect(ledgerCents).toBe(gatewayCents)
  },
)
