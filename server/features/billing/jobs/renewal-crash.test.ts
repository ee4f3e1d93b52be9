import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareSandboxBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { runConcurrently } from '#server/testing/run-concurrently.ts'
import { crashPointsBeforeEach, simulateCrashInBilling } from '#server/testing/crash/crash-in-billing.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import type { CrashPoint } from '#server/testing/crash/crashing-pool.ts'
import { type ScriptResult, runScript } from '#server/testing/crash/run-script.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { runJanitor } from './janitor.ts'
import { renewSubscription } from './renew-subscription.ts'
import { renewDueSubscriptions } from './renew-due-subscriptions.ts'

const minute = 60_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

/** Creates a subscriber whose period ended a minute ago by the system clock, which other processes use. */
async function due(): Promise<Subscriber> {
  const person = await Subscriber.create(site)
  const ended = new Date(Date.now() - minute)
  await site.context.db
    .updateTable('subscriptions')
    .set({ period_ends_at: ended, next_charge_at: ended, next_run_at: new Date(Date.now() + 10 * minute) })
    .where('id', '=', person.subscriptionId)
    .execute()
  return person
}

/** Renews in this process until the simulated crash. */
const renewUntil = (crashPoint: CrashPoint, { subscriptionId }: Subscriber) =>
  simulateCrashInBilling(site.databaseUrl, crashPoint, (context) =>
    renewSubscription(context, subscriptionId),
  )

/** Renews in a separate process. */
const renewIn = ({ subscriptionId }: Subscriber, { when, at }: CrashPoint): Promise<ScriptResult> =>
  runScript('renew-and-crash.ts', [site.databaseUrl, subscriptionId, when, String(at)])

async function settleAll(): Promise<void> {
  for (const wait of [15_000, 30_000, 90_000, 400_000, 4_000_000]) {
    site.advanceClock(wait)
    await runJanitor(site.context)
    await renewDueSubscriptions(site.context)
  }
}

test(
  'a renewal is charged once if the process dies at any statement or during any commit and other processes take over',
  { timeout: 600_000 },
  async () => {
    const whole = await due()
    const run = await renewUntil({ when: 'never', at: 0 }, whole)
    expect(run.commits.length).toBeGreaterThanOrEqual(3)
    const people = [whole]
    await runConcurrently(crashPointsBeforeEach(run), async (crashPoint) => {
      const person = await due()
      expect(await renewUntil(crashPoint, person)).toMatchObject({ crashed: true })
      people.push(person)
    })
    await runConcurrently(run.commits, async (at) => {
      const person = await due()
      expect(await renewIn(person, { when: 'sent', at })).toMatchObject({ signal: 'SIGKILL' })
      people.push(person)
    })
    await settleAll()
    for (const person of people) {
      expect(await person.payments('succeeded')).toHaveLength(2)
      expect(await person.subscriptionRow()).toMatchObject({ status: 'active', period_no: 1 })
      expect((await person.orders()).map(({ status }) => status)).toEqual(['paid', 'paid'])
    }
    const { ledgerCents, gatewayCents } = await compareSandboxBalance(site.context.db)
    expect(ledgerCents).toBe(gatewayCents)
  },
)

test('a renewal whose process died is claimed by another process after the claim expires', async () => {
  const person = await due()
  // Makes this subscription the first in the queue.
  await site.context.db
    .updateTable('subscriptions')
    .set({ next_run_at: new Date(0) })
    .where('id', '=', person.subscriptionId)
    .execute()
  // The job claims the subscription, but is aborted before it renews the subscription.
  const abort = new AbortController()
  const now = () => {
    abort.abort()
    return site.context.clock.now()
  }
  await renewDueSubscriptions({ ...site.context, clock: { now } }, abort.signal)
  await person.advanceAndRenew(5 * minute)
  expect(await person.payments()).toHaveLength(1)
  await person.advanceAndRenew(6 * minute)
  expect(await person.payments()).toHaveLength(2)
})
