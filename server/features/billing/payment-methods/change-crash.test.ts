import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import { runConcurrently } from '#server/testing/run-concurrently.ts'
import { crashPointsBeforeEach, simulateCrashInBilling } from '#server/testing/crash/crash-in-billing.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import type { CrashPoint } from '#server/testing/crash/crashing-pool.ts'
import { type ScriptResult, runScript } from '#server/testing/crash/run-script.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { changePaymentMethod } from './change-method.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

interface Ready {
  subscriber: Subscriber
  setupId: string
  token: string
}

async function ready(): Promise<Ready> {
  const subscriber = await Subscriber.create(site)
  return { subscriber, setupId: newId('pmc'), token: await subscriber.shopper.cardToken() }
}

/** Changes the card in this process until the simulated crash. */
const changeUntil = (crashPoint: CrashPoint, { subscriber: { userId }, setupId, token }: Ready) => {
  const payer = { ip: '127.0.0.1', token, firstName: 'Ada', lastName: 'Lovelace' }
  const params = { userId, setupId, gateway: 'sandbox', method: 'card', payer } as const
  return simulateCrashInBilling(
    site.databaseUrl,
    crashPoint,
    async (context) => void (await changePaymentMethod(context, params)),
  )
}

/** Changes the card in a separate process. */
const changeInProcess = (
  { subscriber, setupId, token }: Ready,
  { when, at }: CrashPoint,
): Promise<ScriptResult> =>
  runScript('change-and-crash.ts', [site.databaseUrl, subscriber.userId, setupId, token, when, String(at)])

/** Returns `changed` or `as before`. For any other outcome, describes the charged card and the cards at the gateway. */
async function outcomeOf({ subscriber, setupId }: Ready): Promise<string> {
  const { db } = site.context
  const setup = await db
    .selectFrom('sandbox_method_setups')
    .select('method_id')
    .where('method_setup_id', '=', setupId)
    .executeTakeFirst()
  const method = await db
    .selectFrom('subscriptions')
    .innerJoin('payment_methods', 'payment_methods.id', 'payment_method_id')
    .select('reference')
    .where('subscriptions.id', '=', subscriber.subscriptionId)
    .executeTakeFirst()
  const paidWith = await db
    .selectFrom('sandbox_payments')
    .innerJoin('payment_attempts', 'payment_attempts.reference', 'sandbox_payments.id')
    .innerJoin('orders', 'orders.id', 'payment_attempts.order_id')
    .select('method_id')
    .where('orders.user_id', '=', subscriber.userId)
    .executeTakeFirst()
  const [first, second] = [paidWith?.method_id ?? '', setup?.method_id ?? '']
  const attached = await Promise.all([first, second].map((one) => site.sandboxGateway.isMethodAttached(one)))
  if (method?.reference === second && !attached[0] && attached[1]) return 'changed'
  if (method?.reference === first && attached[0] && !attached[1]) return 'as before'
  return `charged with ${method?.reference}, attached ${attached.join()}`
}

/** Lets other processes complete the crashed changes. Returns the outcomes of all changes. */
async function outcomesOf(changes: readonly Ready[]): Promise<Set<string>> {
  for (const wait of [15_000, 30_000, 90_000, 400_000, 4_000_000]) {
    site.advanceClock(wait)
    for (let round = 0; round < 10; round++) await runJanitor(site.context)
  }
  const open = site.context.db.selectFrom('payment_method_setups').select('id')
  expect(await open.where('status', 'in', ['started', 'unknown']).execute()).toEqual([])
  return new Set(await Promise.all(changes.map(outcomeOf)))
}

test(
  'a change of card leaves one card if the process dies at any statement or during any commit',
  { timeout: 600_000 },
  async () => {
    const whole = await ready()
    const run = await changeUntil({ when: 'never', at: 0 }, whole)
    const changes = [whole]
    await runConcurrently(crashPointsBeforeEach(run), async (crashPoint) => {
      const change = await ready()
      expect(await changeUntil(crashPoint, change)).toMatchObject({ crashed: true })
      changes.push(change)
    })
    await runConcurrently(run.commits, async (at) => {
      const change = await ready()
      expect(await changeInProcess(change, { when: 'sent', at })).toMatchObject({ signal: 'SIGKILL' })
      changes.push(change)
    })
    expect(await outcomesOf(changes)).toEqual(new Set(['changed', 'as before']))
  },
)
