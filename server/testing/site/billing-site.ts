import { expect } from 'vitest'
import type { Order } from '#contract/billing.ts'
import { getEpisode } from '#contract/media.ts'
import type { Payment, PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { sandboxRoutes } from '#server/features/billing/gateways/sandbox/routes.ts'
import { createSandboxGateway } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { applyWebhookEvent } from '#server/features/billing/webhooks/receive-webhook.ts'
import { dayMs } from '#server/platform/clock.ts'
import type { Env } from '#server/platform/config/read-env.ts'
import { avoidEndOfPeriod } from '#server/testing/avoid-end-of-period.ts'
import {
  compareGatewayBalance,
  expectTransactionsBalanced,
} from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { createTestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from './test-site.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

/** A site for tests about money. Its clock is adjustable, and its gateway can have faults. */
export interface BillingSite extends TestSite {
  video: BuiltVideo
  /** Database URL for a second process. */
  databaseUrl: string
  /** Temporary replacements of gateway methods, by which a test simulates faults. */
  gatewayOverrides: Partial<PaymentGateway>
  /** The gateway without faults. */
  sandboxGateway: PaymentGateway
  /** Number of calls of each gateway method. */
  calls: Record<string, number>
  advanceClock(milliseconds: number): void
}

/** Removes the gateway's faults, and checks that the site's ledger agrees with the gateway. Call it after each test. */
export async function expectLedgerBalanced(site: BillingSite): Promise<void> {
  for (const name of Object.keys(site.gatewayOverrides)) Reflect.deleteProperty(site.gatewayOverrides, name)
  site.context.gatewayTimeoutMs = undefined
  await expectTransactionsBalanced(site.context.db)
  const { ledgerCents, gatewayCents } = await compareGatewayBalance(site.context.db, site.sandboxGateway)
  expect(ledgerCents).toBe(gatewayCents)
}

/** Returns the id of an episode of the site's video by its number. Episodes from 4 on are locked. */
export const episodeIdOf = (site: BillingSite, number = 4): string =>
  site.video.episodes[number - 1]?.id ?? ''

/** Creates a shopper who has bought an episode. */
export async function buyEpisode(site: BillingSite, number = 4): Promise<{ shopper: Shopper; order: Order }> {
  const shopper = await Shopper.create(site)
  const { info } = await shopper.buy({ episode_id: episodeIdOf(site, number) })
  if (info?.status !== 'paid') throw new Error('the episode was not paid')
  return { shopper, order: info }
}

/** Requests an episode. @returns the status code */
export async function playbackCode(site: BillingSite, shopper: Shopper, number = 4): Promise<number> {
  const query = { episode_id: episodeIdOf(site, number) }
  return (await shopper.visitor.call(getEpisode, { query })).answer.code
}

/** Returns an order's payment at the gateway. @throws Error if there is none */
export async function paymentOf(site: BillingSite, orderId: string): Promise<Payment> {
  const found = (await listAllPayments(site.sandboxGateway)).find((payment) => payment.orderId === orderId)
  if (!found) throw new Error(`${orderId} has no payment`)
  return found
}

/** Returns a payment at the sandbox by its idempotency key; null if there is none. */
export function paymentByKey(site: BillingSite, key: string): Promise<Payment | null> {
  return site.sandboxGateway.retrievePayment({ key, attemptId: '', startedAt: new Date(0) })
}

/** Returns the status and decline code of an order's attempts, oldest first. */
export function attemptsOf(site: BillingSite, orderId: string) {
  return site.context.db
    .selectFrom('payment_attempts')
    .select(['status', 'decline_code'])
    .where('order_id', '=', orderId)
    .orderBy('number')
    .execute()
}

/** Advances the clock and runs the janitor job. */
export async function runJanitorAfter(site: BillingSite, milliseconds: number): Promise<void> {
  site.advanceClock(milliseconds)
  await runJanitor(site.context)
}

let webhookCount = 0
/** Applies a webhook event about a payment. */
export function applySandboxWebhook(site: BillingSite, reference: string) {
  return applyWebhookEvent(site.context, { gateway: 'sandbox', event_id: `evt_${++webhookCount}`, reference })
}

/** Returns the refunds of an order, oldest first. */
export function refundsOf(site: BillingSite, orderId: string) {
  return site.context.db
    .selectFrom('refunds')
    .innerJoin('payment_attempts', 'payment_attempts.id', 'refunds.attempt_id')
    .select(['refunds.amount_cents', 'refunds.status', 'refunds.reason'])
    .where('payment_attempts.order_id', '=', orderId)
    .orderBy('refunds.created_at')
    .execute()
}

/** Returns the webhook events that are stored and not yet applied. The site applies an event after its response. */
export function unappliedEvents({ context }: { context: Pick<BillingSite['context'], 'db'> }) {
  return context.db.selectFrom('webhook_events').select('reference').where('applied_at', 'is', null).execute()
}

export async function startBillingSite(settings: Env = {}): Promise<BillingSite> {
  // The site's reports count by UTC days. The margin is for all tests of a file.
  await avoidEndOfPeriod(dayMs, 2 * 60_000)
  const database = await createTestDatabase()
  let offset = 0
  const clock = { now: () => new Date(Date.now() + offset) }
  const sandbox = { db: database.db, clock, secret: 'a secret of the tests', notify: () => {} }
  const sandboxGateway = createSandboxGateway(sandbox)
  const gatewayOverrides: Partial<PaymentGateway> = {}
  const gatewayCallCounts: Record<string, number> = {}
  const gateway = new Proxy(sandboxGateway, {
    get(target, name: keyof PaymentGateway) {
      if (typeof target[name] === 'function') gatewayCallCounts[name] = (gatewayCallCounts[name] ?? 0) + 1
      return gatewayOverrides[name] ?? target[name]
    },
  })
  const gateways = { gateways: [gateway], gatewayRoutes: sandboxRoutes(sandbox) }
  const site = await startTestSite({ database, clock, gateways }, settings)
  const video = await buildVideo(site.context)
  return {
    ...site,
    video,
    databaseUrl: database.url,
    gatewayOverrides,
    sandboxGateway,
    calls: gatewayCallCounts,
    advanceClock: (milliseconds) => void (offset += milliseconds),
  }
}
