import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  buyEpisode,
  expectLedgerBalanced,
  paymentOf,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { recordQueries } from '#server/testing/database/record-queries.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { loadReconciliation } from '#server/features/billing/admin/load-reconciliation.ts'
import { reconcile } from './reconcile.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

const hour = 3_600_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

test('a payment that only the gateway knows is found and settled, even if the janitor has abandoned it', async () => {
  const person = await Subscriber.create(site)
  site.gatewayOverrides.chargeSavedMethod = async (charge) => {
    await site.sandboxGateway.chargeSavedMethod(charge)
    throw new Error('the line broke')
  }
  await person.advanceAndRenew(7 * 24 * hour)
  await site.context.db
    .updateTable('payment_attempts')
    .set({ next_poll_at: null })
    .where('status', '=', 'unknown')
    .execute()
  await reconcile(site.context)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'active', period_no: 1 })
  await reconcile(site.context)
  expect(await person.payments('succeeded')).toHaveLength(2)
})

test('a payment that was settled as failed and succeeded later is refunded once', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: site.video.episodes[3]?.id })
  site.gatewayOverrides.createPayment = async (charge) => {
    await site.sandboxGateway.createPayment(charge)
    throw new Error('the line broke')
  }
  await shopper.tryPay(order.id, await shopper.cardToken())
  await site.context.db
    .updateTable('payment_attempts')
    .set({ status: 'failed', decline_code: 'not_received', next_poll_at: null })
    .where('order_id', '=', order.id)
    .execute()
  await reconcile(site.context)
  await reconcile(site.context)
  const [payment] = (await listAllPayments(site.sandboxGateway)).filter(({ orderId }) => orderId === order.id)
  expect(payment).toMatchObject({ status: 'succeeded', amountCents: 99, refundedCents: 99 })
  const returned = await site.context.db
    .selectFrom('refunds')
    .innerJoin('payment_attempts', 'payment_attempts.id', 'refunds.attempt_id')
    .select('refunds.status')
    .where('payment_attempts.order_id', '=', order.id)
    .execute()
  expect(returned).toEqual([{ status: 'succeeded' }])
})

test('a run lists payments from 48 hours before the previous successful run, also after a failed run', async () => {
  const listedSpansMs: number[] = []
  site.gatewayOverrides.listPayments = async function* (time) {
    listedSpansMs.push(site.context.clock.now().getTime() - time.getTime())
    yield []
  }
  const hours = () => Math.round((listedSpansMs.at(-1) ?? 0) / hour)
  await reconcile(site.context)
  site.advanceClock(5 * hour)
  await reconcile(site.context)
  expect(hours()).toBe(48 + 5)
  site.gatewayOverrides.listPayments = async function* () {
    yield await Promise.reject(new Error('away'))
  }
  site.advanceClock(100 * hour)
  await reconcile(site.context)
  site.gatewayOverrides.listPayments = async function* (time) {
    listedSpansMs.push(site.context.clock.now().getTime() - time.getTime())
    yield []
  }
  await reconcile(site.context)
  expect(hours()).toBe(48 + 100)
})

/** Returns an order's status in our database, without querying the gateway. */
async function statusOf(orderId: string) {
  const orders = site.context.db.selectFrom('orders').select('status')
  return (await orders.where('id', '=', orderId).executeTakeFirst())?.status
}

test('a payment that cannot be settled does not block other payments, and is retried for a limited time', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: site.video.episodes[3]?.id })
  site.gatewayOverrides.createPayment = async (charge) => {
    await site.sandboxGateway.createPayment(charge)
    throw new Error('the line broke')
  }
  await shopper.tryPay(order.id, await shopper.cardToken())
  const odd = (await listAllPayments(site.sandboxGateway)).find(({ orderId }) => orderId === order.id)
  if (!odd) throw new Error('there is no payment')
  const poisoned = { ...odd, amountCents: 1 }
  const listedSpansMs: number[] = []
  let requestCount = 0
  site.gatewayOverrides.listPayments = async function* (time) {
    listedSpansMs.push(site.context.clock.now().getTime() - time.getTime())
    yield listedSpansMs.length === 1 ? [poisoned] : []
  }
  site.gatewayOverrides.retrievePayment = async () => {
    requestCount++
    return poisoned
  }
  await reconcile(site.context)
  for (const hours of [100, 60]) {
    site.advanceClock(hours * hour)
    await reconcile(site.context)
    expect(Math.round((listedSpansMs.at(-1) ?? 0) / hour)).toBe(48 + hours)
  }
  expect(requestCount).toBe(2)
  site.advanceClock(9 * hour)
  await reconcile(site.context)
  await reconcile(site.context)
  expect(requestCount).toBe(2)
  delete site.gatewayOverrides.listPayments
  delete site.gatewayOverrides.retrievePayment
  await reconcile(site.context)
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
})

test('a discrepancy is settled when the gateway reports the right payment, even if the gateway does not list it', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: site.video.episodes[3]?.id })
  site.gatewayOverrides.createPayment = async (charge) => {
    await site.sandboxGateway.createPayment(charge)
    throw new Error('the line broke')
  }
  await shopper.tryPay(order.id, await shopper.cardToken())
  const payment = (await listAllPayments(site.sandboxGateway)).find(({ orderId }) => orderId === order.id)
  if (!payment) throw new Error('there is no payment')
  const odd = { ...payment, currency: 'EUR' }
  site.gatewayOverrides.listPayments = async function* () {
    yield [odd]
  }
  site.gatewayOverrides.retrievePayment = async () => odd
  await reconcile(site.context)
  expect(await statusOf(order.id)).toBe('pending')
  site.gatewayOverrides.listPayments = async function* () {
    yield []
  }
  delete site.gatewayOverrides.retrievePayment
  await reconcile(site.context)
  expect(await statusOf(order.id)).toBe('paid')
})

test('an invalid payment or a failing gateway does not block other payments', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: site.video.episodes[3]?.id })
  site.gatewayOverrides.createPayment = async (charge) => {
    await site.sandboxGateway.createPayment(charge)
    throw new Error('the line broke')
  }
  await shopper.tryPay(order.id, await shopper.cardToken())
  const good = (await listAllPayments(site.sandboxGateway)).find(({ orderId }) => orderId === order.id)
  if (!good) throw new Error('there is no payment')
  const foreign = { ...good, orderId: 'ord_x', attemptId: 'att_x', purchase: '' }
  const odd: Payment[] = [
    { ...foreign, reference: 'too_large', amountCents: 2 ** 70 },
    { ...foreign, reference: 'nul', attemptId: '\0' },
    { ...foreign, reference: 'no_currency', ...JSON.parse('{"currency":null}') },
  ]
  site.gatewayOverrides.listPayments = async function* () {
    yield [...odd, good]
  }
  const broken = Object.assign(Object.create(site.sandboxGateway), {
    id: 'stripe',
    async *listPayments() {
      yield JSON.parse('[null]')
    },
  })
  await reconcile({ ...site.context, gateways: [broken, ...site.context.gateways] })
  expect(await statusOf(order.id)).toBe('paid')
  const { discrepancies } = await loadReconciliation(site.context, undefined)
  const listed = discrepancies.map(({ reference }) => reference)
  expect(listed).toEqual(expect.arrayContaining(odd.map(({ reference }) => reference)))
})

test('each page of payments is compared before the next one is requested', async () => {
  const { order } = await buyEpisode(site)
  const payment = await paymentOf(site, order.id)
  const pageCount = 3
  const comparedBefore: number[] = []
  site.gatewayOverrides.listPayments = async function* () {
    for (let page = 0; page < pageCount; page++) {
      const { discrepancies } = await loadReconciliation(site.context, undefined)
      comparedBefore.push(discrepancies.filter(({ reference }) => reference?.startsWith('paged_')).length)
      yield [{ ...payment, reference: `paged_${page}`, orderId: '', attemptId: '', status: 'unreadable' }]
    }
  }
  await reconcile(site.context)
  expect(comparedBefore).toEqual([0, 1, 2])
})

test('the stored discrepancies of a page are read once', async () => {
  const { order } = await buyEpisode(site)
  const payment = await paymentOf(site, order.id)
  site.gatewayOverrides.listPayments = async function* () {
    yield [{ ...payment, reference: 'read_once', orderId: '', attemptId: '', status: 'unreadable' }]
  }
  const recordedQueries = recordQueries('payment_discrepancies')
  await reconcile(site.context)
  expect(recordedQueries().filter((text) => text.includes('ANY('))).toHaveLength(1)
})

test('if a page fails, earlier pages are still compared, and the next run lists the same period again', async () => {
  const { order } = await buyEpisode(site)
  const payment = await paymentOf(site, order.id)
  const unknown = { ...payment, orderId: '', attemptId: '', status: 'unreadable' } as const
  const times: number[] = []
  site.gatewayOverrides.listPayments = async function* (time) {
    times.push(time.getTime())
    yield [{ ...unknown, reference: 'before_the_fault' }]
    yield await Promise.reject(new Error('the line broke'))
  }
  await reconcile(site.context)
  const { discrepancies } = await loadReconciliation(site.context, undefined)
  expect(discrepancies.map(({ reference }) => reference)).toContain('before_the_fault')
  site.advanceClock(hour)
  await reconcile(site.context)
  expect(times).toEqual([times[0], times[0]])
})

test('payments with an open dispute or a pending refund are queried at the same time', async () => {
  const bought = await Promise.all([buyEpisode(site), buyEpisode(site)])
  const ids = bought.map(({ order }) => order.id)
  const attempts = site.context.db.updateTable('payment_attempts').where('order_id', 'in', ids)
  await attempts.set({ refund_pending: true }).execute()
  // Each response waits until both payments are queried.
  const both = Promise.withResolvers<void>()
  let queried = 0
  site.gatewayOverrides.listPayments = async function* () {
    yield []
  }
  site.gatewayOverrides.retrievePayment = async (lookup) => {
    if (++queried === 2) both.resolve()
    await both.promise
    return site.sandboxGateway.retrievePayment(lookup)
  }
  await reconcile(site.context)
  const pending = site.context.db
    .selectFrom('payment_attempts')
    .select('id')
    .where('refund_pending', '=', true)
  expect(await pending.execute()).toEqual([])
})
