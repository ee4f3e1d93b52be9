import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  buyEpisode,
  expectLedgerBalanced,
  applySandboxWebhook,
  startBillingSite,
  paymentOf,
  refundsOf,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { simulateDispute } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { refundOrder } from './refund-order.ts'
import { renewSubscription } from '#server/features/billing/jobs/renew-subscription.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => work(index)))

async function createPaidOrder() {
  const { shopper, order } = await buyEpisode(site)
  const { reference } = await paymentOf(site, order.id)
  const loadOrder = () => shopper.getOrder(order.id)
  const loadRefundedCents = async () =>
    (await site.sandboxGateway.retrievePayment({ reference }))?.refundedCents
  return { shopper, orderId: order.id, reference, loadOrder, loadRefundedCents }
}

/** Returns the status of each successful refund, and the name of each refusal. */
function outcomes(settled: PromiseSettledResult<{ status: string }>[]): Set<string> {
  return new Set(
    settled.map((one) => (one.status === 'fulfilled' ? one.value.status : String(one.reason.reason))),
  )
}

test('a full refund is made once for 20 concurrent requests, and the buyer gets one mail', async () => {
  const { shopper, orderId, loadOrder, loadRefundedCents } = await createPaidOrder()
  const settled = await times(20, () => refundOrder(site.context, orderId, { reason: 'goodwill' }))
  expect([...outcomes(settled)].every((one) => one === 'succeeded' || one === 'notRefundable')).toBe(true)
  expect(await loadOrder()).toMatchObject({ status: 'refunded', refunded_cents: 99 })
  expect(await loadRefundedCents()).toBe(99)
  expect(await refundsOf(site, orderId)).toMatchObject([{ amount_cents: 99, status: 'succeeded' }])
  const mails = await site.mails(shopper.email)
  expect(mails.filter(({ subject }) => /Your (partial )?refund/.test(subject))).toHaveLength(1)
})

test('20 concurrent requests by operators who saw no refund make one partial refund', async () => {
  const { orderId, loadOrder, loadRefundedCents } = await createPaidOrder()
  const refund = { amountCents: 40, reason: 'goodwill', knownRefundedCents: 0 }
  const settled = await times(20, () => refundOrder(site.context, orderId, refund))
  expect([...outcomes(settled)].every((one) => one === 'succeeded' || one === 'editConflict')).toBe(true)
  expect(await loadOrder()).toMatchObject({ status: 'partially_refunded', refunded_cents: 40 })
  expect(await loadRefundedCents()).toBe(40)
  expect(await refundsOf(site, orderId)).toHaveLength(1)
})

test('concurrent partial refunds by the site and at the gateway never exceed the payment', async () => {
  const { orderId, reference, loadOrder, loadRefundedCents } = await createPaidOrder()
  await Promise.all([
    times(10, (index) =>
      refundOrder(site.context, orderId, { amountCents: 20 + index, reason: `part ${index}` }),
    ),
    times(5, (index) =>
      site.sandboxGateway.refundPayment({ reference, amountCents: 17, key: `there ${orderId} ${index}` }),
    ),
    times(10, () => applySandboxWebhook(site, reference)),
    times(3, () => runJanitor(site.context)),
  ])
  await applySandboxWebhook(site, reference)
  const total = (await loadRefundedCents()) ?? 0
  expect(total).toBeLessThanOrEqual(99)
  expect(await loadOrder()).toMatchObject({ refunded_cents: total })
})

test('a refund is recorded once even if 20 webhook events arrive while it is made', async () => {
  const { orderId, reference, loadOrder } = await createPaidOrder()
  await Promise.all([
    refundOrder(site.context, orderId, { amountCents: 40, reason: 'goodwill' }),
    times(20, () => applySandboxWebhook(site, reference)),
  ])
  expect(await loadOrder()).toMatchObject({ status: 'partially_refunded', refunded_cents: 40 })
  expect(await refundsOf(site, orderId)).toHaveLength(1)
})

test('an outdated reading of the payment is not applied', async () => {
  const { reference, loadOrder } = await createPaidOrder()
  const setDispute = (status: 'open' | 'won' | 'lost') => {
    const { db, clock, secret } = site.context
    return simulateDispute({ db, clock, secret, notify: () => {} }, reference, status)
  }
  await setDispute('open')
  await applySandboxWebhook(site, reference)
  await setDispute('won')
  const [read, overtaken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let reads = 0
  site.gatewayOverrides.retrievePayment = async (lookup) => {
    const payment = await site.sandboxGateway.retrievePayment(lookup)
    // Delays the second reading, which the site applies.
    if (++reads !== 2) return payment
    read.resolve()
    await overtaken.promise
    return payment
  }
  const late = applySandboxWebhook(site, reference)
  await read.promise
  delete site.gatewayOverrides.retrievePayment
  await setDispute('lost')
  await applySandboxWebhook(site, reference)
  expect(await loadOrder()).toMatchObject({ status: 'charged_back' })
  overtaken.resolve()
  await late
  expect(await loadOrder()).toMatchObject({ status: 'charged_back' })
})

test('after a concurrent full refund and renewal, the plan does not continue', async () => {
  for (let round = 0; round < 5; round++) {
    const person = await Subscriber.create(site)
    const [order] = await person.orders()
    site.advanceClock(7 * 86_400_000)
    await Promise.allSettled([
      renewSubscription(site.context, person.subscriptionId),
      refundOrder(site.context, order?.id ?? '', { reason: 'goodwill' }),
    ])
    expect((await person.membership()).renews_at).toBeNull()
    await person.advanceAndRenew(30 * 86_400_000)
    expect((await person.payments('succeeded')).length).toBeLessThanOrEqual(2)
  }
})
