import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { compareGatewayBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import {
  buyEpisode,
  episodeIdOf,
  expectLedgerBalanced,
  applySandboxWebhook,
  startBillingSite,
  paymentOf,
  playbackCode,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import {
  createSandboxGateway,
  simulateDispute,
} from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { refundOrder } from './refund-order.ts'
import type { DisputeStatus } from '#server/features/billing/tables.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

const hearOf = async (orderId: string) =>
  applySandboxWebhook(site, (await paymentOf(site, orderId)).reference)

/** Sets the bank's decision at the sandbox, and notifies the site. */
async function bankSays(orderId: string, status: DisputeStatus) {
  const { db, clock, secret } = site.context
  await simulateDispute(
    { db, clock, secret, notify: () => {} },
    (await paymentOf(site, orderId)).reference,
    status,
  )
  await hearOf(orderId)
}

const refundPart = (orderId: string, amountCents: number) =>
  refundOrder(site.context, orderId, { amountCents, reason: 'goodwill' })

describe('a dispute', () => {
  test('revokes the entitlement and books the loss, and a won dispute reverses both', async () => {
    const { shopper, order } = await buyEpisode(site)
    const before = await compareGatewayBalance(site.context.db, site.sandboxGateway)
    await bankSays(order.id, 'open')
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back', refunded_cents: 0 })
    expect(await playbackCode(site, shopper)).toBe(402)
    expect((await compareGatewayBalance(site.context.db, site.sandboxGateway)).ledgerCents).toBe(
      before.ledgerCents - 99,
    )
    await bankSays(order.id, 'won')
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid', refunded_cents: 0 })
    expect(await playbackCode(site, shopper)).toBe(200)
    expect(await compareGatewayBalance(site.context.db, site.sandboxGateway)).toEqual(before)
  })

  test('revokes the entitlement permanently if the dispute is lost', async () => {
    const { shopper, order } = await buyEpisode(site)
    await bankSays(order.id, 'open')
    await bankSays(order.id, 'lost')
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
    expect(await playbackCode(site, shopper)).toBe(402)
  })

  test('restores a partially refunded order if the dispute is won, even if it is reported repeatedly', async () => {
    const { shopper, order } = await buyEpisode(site)
    await refundPart(order.id, 40)
    await bankSays(order.id, 'open')
    await Promise.all([1, 2, 3, 4, 5].map(() => hearOf(order.id)))
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back', refunded_cents: 40 })
    await bankSays(order.id, 'won')
    await Promise.all([1, 2, 3, 4, 5].map(() => hearOf(order.id)))
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'partially_refunded',
      refunded_cents: 40,
    })
    const lines = await site.context.db
      .selectFrom('ledger_lines')
      .select('transaction_id')
      .where('order_id', '=', order.id)
      .execute()
    // The four transactions are the sale, the partial refund, the dispute and its reversal.
    expect(lines).toHaveLength(8)
  })

  test('blocks refunds until it is won', async () => {
    const { shopper, order } = await buyEpisode(site)
    await bankSays(order.id, 'open')
    await expect(refundPart(order.id, 40)).rejects.toMatchObject({ reason: 'orderDisputed' })
    await bankSays(order.id, 'won')
    await refundPart(order.id, 99)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded' })
  })

  test('is found by the reconciliation, which later also finds its outcome', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy({ episode_id: episodeIdOf(site) }, testCards.disputed)
    expect(info).toMatchObject({ status: 'paid' })
    await reconcile(site.context)
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'charged_back' })
    for (const days of [5, 6]) {
      site.advanceClock(days * day)
      await reconcile(site.context)
    }
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'paid' })
    expect(await playbackCode(site, shopper)).toBe(200)
  })
})

test('a dispute does not change the order if it is reported only after it was won', async () => {
  const { shopper, order } = await buyEpisode(site)
  const { db, clock, secret } = site.context
  await simulateDispute(
    { db, clock, secret, notify: () => {} },
    (await paymentOf(site, order.id)).reference,
    'won',
  )
  await hearOf(order.id)
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
})

test('a dispute ends the plan; if the dispute is won, the paid period is restored, but does not renew', async () => {
  const person = await Subscriber.create(site)
  const [order] = await person.orders()
  await bankSays(order?.id ?? '', 'open')
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended' })
  expect(await person.canPlay()).toBe(false)
  expect(await person.membership()).toMatchObject({ state: 'free' })
  await bankSays(order?.id ?? '', 'won')
  expect(await person.canPlay()).toBe(true)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended' })
  await person.advanceAndRenew(7 * day)
  expect(await person.canPlay()).toBe(false)
  expect(await person.payments()).toHaveLength(1)
})

test('a payment with the test card for disputes causes a second webhook event, which reports the dispute', async () => {
  const { db, clock } = site.context
  const notified: string[] = []
  const gateway = createSandboxGateway({ db, clock, secret: '', notify: (one) => notified.push(one) })
  const shopper = await Shopper.create(site)
  site.gatewayOverrides.createPayment = (charge) => gateway.createPayment(charge)
  const { info } = await shopper.buy({ episode_id: episodeIdOf(site) }, testCards.disputed)
  expect(info).toMatchObject({ status: 'paid' })
  expect(notified).toHaveLength(2)
  await hearOf(info?.id ?? '')
  expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'charged_back' })
})
