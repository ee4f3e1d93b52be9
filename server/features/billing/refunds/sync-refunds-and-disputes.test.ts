import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { withdraw } from '#contract/consumer-rights.ts'
import {
  buyEpisode,
  episodeIdOf,
  expectLedgerBalanced,
  startBillingSite,
  paymentOf,
  refundsOf,
  runJanitorAfter,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { loadOrderDetails } from '#server/features/billing/admin/load-order-details.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { syncOrderWithGateway } from '#server/features/billing/reconciliation/sync-order-with-gateway.ts'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'
import { failRefunds } from '#server/features/billing/gateways/sandbox/queries.ts'
import { loadReconciliation } from '#server/features/billing/admin/load-reconciliation.ts'
import { refundOrder } from './refund-order.ts'
import { retryWithdrawalRefunds } from '#server/features/billing/consumer-rights/withdraw.ts'

let site: BillingSite
beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

const subjects = async ({ email }: Shopper) => (await site.mails(email)).map(({ subject }) => subject)
const bodies = async ({ email }: Shopper) => (await site.mails(email)).map(({ text }) => text)

describe('an automatic refund', () => {
  test('closes the second order for one product, with the reason on the page, by mail and in the studio', async () => {
    const shopper = await Shopper.create(site)
    const orderParams = { episode_id: episodeIdOf(site) }
    const orders = [await shopper.order(orderParams), await shopper.order(orderParams)]
    const [first, second] = [orders[0]?.id ?? '', orders[1]?.id ?? '']
    site.gatewayOverrides.createPayment = async (charge) => {
      await site.sandboxGateway.createPayment(charge)
      throw new Error('the line broke')
    }
    site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('away'))
    await shopper.tryPay(second, await shopper.cardToken())
    delete site.gatewayOverrides.createPayment
    delete site.gatewayOverrides.retrievePayment
    expect((await shopper.tryPay(first, await shopper.cardToken())).info?.status).toBe('paid')
    const secondOrder = await shopper.getOrder(second)
    expect(secondOrder).toMatchObject({
      status: 'cancelled',
      auto_refund: { reason: 'already_owned', message: expect.stringMatching(/already own.*refunding you/) },
    })
    expect((await subjects(shopper)).at(-1)).toBe('We’re refunding $0.99')
    expect((await bodies(shopper)).at(-1)).toContain('You already own what this payment was for.')
    const file = await loadOrderDetails(
      site.context.db,
      second,
      { language: 'en', canSeeCustomers: true },
      undefined,
    )
    expect(file.refunds).toMatchObject([{ reason: 'already_owned', status: 'succeeded' }])
  })

  test('closes an order at an introductory price if the card has already got such a price', async () => {
    site.gatewayOverrides.createPayment = async (charge) => {
      const payment = await site.sandboxGateway.createPayment(charge)
      return payment.method ? { ...payment, method: { ...payment.method, fingerprint: 'one card' } } : payment
    }
    const [one, two] = [await Shopper.create(site), await Shopper.create(site)]
    const plan_id = (await one.plan(7)).id
    expect((await one.buy({ kind: 'plan', plan_id })).info?.status).toBe('paid')
    const order = await two.order({ kind: 'plan', plan_id })
    await two.tryPay(order.id, await two.cardToken())
    expect(await two.getOrder(order.id)).toMatchObject({
      status: 'cancelled',
      auto_refund: { reason: 'intro_price_used' },
    })
    expect((await subjects(two)).at(-1)).toBe('We’re refunding $4.99')
  })
})

test('only the rest of an unwanted payment is refunded if a part was already refunded at the gateway', async () => {
  const shopper = await Shopper.create(site)
  const orderParams = { episode_id: episodeIdOf(site) }
  const orders = [await shopper.order(orderParams), await shopper.order(orderParams)]
  const [first, second] = [orders[0]?.id ?? '', orders[1]?.id ?? '']
  site.gatewayOverrides.createPayment = async (charge) => {
    const { reference } = await site.sandboxGateway.createPayment(charge)
    await site.sandboxGateway.refundPayment({ reference: reference ?? '', amountCents: 40, key: 'by hand' })
    throw new Error('the line broke')
  }
  site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('away'))
  await shopper.tryPay(second, await shopper.cardToken())
  delete site.gatewayOverrides.createPayment
  delete site.gatewayOverrides.retrievePayment
  await shopper.tryPay(first, await shopper.cardToken())
  await shopper.getOrder(second)
  await reconcile(site.context)
  await runJanitorAfter(site, 60_000)
  const file = await loadOrderDetails(
    site.context.db,
    second,
    { language: 'en', canSeeCustomers: true },
    undefined,
  )
  const refunds = file.refunds.map(
    ({ amount_cents, status, reason }) => `${amount_cents} ${status} ${reason}`,
  )
  expect(refunds.toSorted()).toEqual([
    '40 succeeded refunded_at_gateway',
    '59 succeeded already_owned',
    '99 failed already_owned',
  ])
})

describe('a failed refund of a payment that bought nothing', () => {
  const hour = 3_600_000
  /**
   * Makes two payments for one episode. The second payment buys nothing, and its refund depends on the gateway
   * overrides.
   */
  async function paidTwice(): Promise<string> {
    const shopper = await Shopper.create(site)
    const orderParams = { episode_id: episodeIdOf(site) }
    const orders = [await shopper.order(orderParams), await shopper.order(orderParams)]
    const [first, second] = [orders[0]?.id ?? '', orders[1]?.id ?? '']
    site.gatewayOverrides.createPayment = async (charge) => {
      await site.sandboxGateway.createPayment(charge)
      throw new Error('the line broke')
    }
    site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('away'))
    await shopper.tryPay(second, await shopper.cardToken())
    delete site.gatewayOverrides.createPayment
    delete site.gatewayOverrides.retrievePayment
    await shopper.tryPay(first, await shopper.cardToken())
    await shopper.getOrder(second)
    return second
  }
  const keys = new Set<string>()
  function refuse() {
    keys.clear()
    site.gatewayOverrides.refundPayment = async ({ key }) => {
      keys.add(key)
      throw new GatewayRefused('too late')
    }
  }
  async function listed(orderId: string) {
    const { discrepancies } = await loadReconciliation(site.context, undefined)
    return discrepancies.find(({ kind, order_id }) => kind === 'unwanted_payment' && order_id === orderId)
  }
  const refundable = async (orderId: string) =>
    (await loadOrderDetails(site.context.db, orderId, { language: 'en', canSeeCustomers: true }, undefined))
      .refundable_cents

  test('is retried with new keys a limited number of times, and is listed until an operator’s refund succeeds', async () => {
    refuse()
    const order = await paidTwice()
    site.advanceClock(hour / 2)
    await reconcile(site.context)
    expect(keys.size).toBe(1)
    expect(await listed(order)).toMatchObject({ amount_cents: 99, gateway: 'sandbox', abandoned: false })
    for (let round = 0; round < 30; round++) {
      site.advanceClock(24 * hour)
      await reconcile(site.context)
    }
    expect(keys.size).toBe(5)
    expect(await listed(order)).toMatchObject({ amount_cents: 99, abandoned: true })
    expect(await refundable(order)).toBe(99)
    await expect(refundOrder(site.context, order, { reason: 'by hand' })).rejects.toMatchObject({
      reason: 'refundDeclined',
    })
    expect(await listed(order)).toBeDefined()
    delete site.gatewayOverrides.refundPayment
    expect(await refundOrder(site.context, order, { reason: 'by hand' })).toMatchObject({
      status: 'succeeded',
      amountCents: 99,
    })
    expect(await listed(order)).toBeUndefined()
    expect(await refundable(order)).toBe(0)
    await expect(refundOrder(site.context, order, { reason: 'again' })).rejects.toMatchObject({
      reason: 'notRefundable',
    })
  })

  test('is retried and succeeds when the gateway accepts refunds again', async () => {
    refuse()
    const order = await paidTwice()
    delete site.gatewayOverrides.refundPayment
    site.advanceClock(2 * hour)
    await reconcile(site.context)
    expect((await refundsOf(site, order)).map(({ status }) => status)).toEqual(['failed', 'succeeded'])
    expect(await listed(order)).toBeUndefined()
  })

  test('is retried if it succeeded first and failed days later', async () => {
    const order = await paidTwice()
    const { reference } = await paymentOf(site, order)
    site.advanceClock(24 * hour)
    await failRefunds(site.context.db, reference, site.context.clock.now())
    await reconcile(site.context)
    expect((await refundsOf(site, order)).map(({ status }) => status)).toEqual(['failed', 'succeeded'])
    expect(await listed(order)).toBeUndefined()
  })

  test('is retried when the order is synced with the gateway', async () => {
    refuse()
    const order = await paidTwice()
    delete site.gatewayOverrides.refundPayment
    expect(await syncOrderWithGateway(site.context, order)).toMatchObject({ settled: true })
    expect((await refundsOf(site, order)).map(({ status }) => status)).toEqual(['failed', 'succeeded'])
  })
})

/** Withdraws from a purchase with the mailed link. */
async function withdrawFrom({ email }: Shopper) {
  await site.visitor().call(withdraw, { body: { email } })
  const texts = (await site.mails(email)).map(({ text }) => text)
  const link = texts.map((text) => /#withdraw=([\w-]+)/.exec(text)?.[1]).findLast(Boolean)
  return (await site.visitor().call(withdraw, { body: { secret: link } })).answer
}

async function mailAbout(shopper: Shopper, about: string) {
  const mails = await site.mails(shopper.email)
  return mails.find(({ subject }) => subject.startsWith(about))?.text
}
const linkMailOf = (shopper: Shopper) => mailAbout(shopper, 'Cancel your order')
const confirmationOf = (shopper: Shopper) => mailAbout(shopper, 'Your order is cancelled')

test('a withdrawal after a partial refund announces and refunds the rest', async () => {
  const { shopper, order } = await buyEpisode(site)
  await refundOrder(site.context, order.id, { amountCents: 40, reason: 'goodwill' })
  expect(await withdrawFrom(shopper)).toMatchObject({ code: 200, info: { amount_cents: 59 } })
  expect(await linkMailOf(shopper)).toContain('$0.59')
  expect(await confirmationOf(shopper)).toContain('$0.59')
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded', refunded_cents: 99 })
})

test('a withdrawal during a partial refund announces the rest, and refunds it afterwards', async () => {
  const { shopper, order } = await buyEpisode(site)
  site.gatewayOverrides.refundPayment = () => Promise.reject(new Error('away'))
  await refundOrder(site.context, order.id, { amountCents: 40, reason: 'goodwill' })
  expect(await withdrawFrom(shopper)).toMatchObject({ code: 200, info: { amount_cents: 59 } })
  delete site.gatewayOverrides.refundPayment
  expect(await linkMailOf(shopper)).toContain('$0.59')
  expect(await confirmationOf(shopper)).toContain('$0.59')
  await runJanitorAfter(site, 3_600_000)
  await retryWithdrawalRefunds(site.context)
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded', refunded_cents: 99 })
})

test('an order has the number of its episode, so that the return link leads to the episode', async () => {
  const { shopper, order } = await buyEpisode(site, 5)
  expect(await shopper.getOrder(order.id)).toMatchObject({ video_id: site.video.id, episode_number: 5 })
})
