import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  attemptsOf,
  episodeIdOf,
  expectLedgerBalanced,
  startBillingSite,
  paymentByKey,
  runJanitorAfter,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Visitor } from '#server/testing/site/visitor.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

const minute = 60_000
const hour = 60 * minute
const orderParams = () => ({ episode_id: episodeIdOf(site) })

const attempts = (orderId: string) => attemptsOf(site, orderId)
const byKey = (key: string) => paymentByKey(site, key)
const runJanitorIn = (milliseconds: number) => runJanitorAfter(site, milliseconds)

/** Lets the gateway charge, but loses its responses. */
function loseResponses() {
  site.gatewayOverrides.createPayment = async (charge) => {
    await site.sandboxGateway.createPayment(charge)
    throw new Error('the line broke')
  }
}

describe('a payment whose response is lost', () => {
  test('is unknown, not failed, and is found when the order is read', async () => {
    const shopper = await Shopper.create(site)
    loseResponses()
    const order = await shopper.order(orderParams())
    expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({
      code: 500,
      message: /won’t be charged twice/,
    })
    expect(await attempts(order.id)).toMatchObject([{ status: 'unknown' }])
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  })

  test('is unknown, also if it is a wallet payment that starts with the order', async () => {
    const shopper = await Shopper.create(site)
    loseResponses()
    expect(await shopper.tryOrder({ ...orderParams(), method: 'wallet' })).toMatchObject({
      code: 500,
      message: /won’t be charged twice/,
    })
  })

  test('is found by the janitor, which does not send it again', async () => {
    const shopper = await Shopper.create(site)
    loseResponses()
    const order = await shopper.order(orderParams())
    await shopper.tryPay(order.id, await shopper.cardToken())
    const sent = site.calls['createPayment']
    await runJanitorIn(15_000)
    expect(site.calls['createPayment']).toBe(sent)
    expect(await attempts(order.id)).toMatchObject([{ status: 'succeeded' }])
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  })

  test('is found when "Pay" is pressed again with the same idempotency key, and is charged once', async () => {
    const shopper = await Shopper.create(site)
    loseResponses()
    const order = await shopper.order(orderParams())
    const token = await shopper.cardToken()
    const key = { 'idempotency-key': `lost ${order.id}` }
    expect(await shopper.tryPay(order.id, token, key)).toMatchObject({ code: 500 })
    expect(await shopper.tryPay(order.id, token, key)).toMatchObject({ code: 200, info: { status: 'paid' } })
    expect(await attempts(order.id)).toHaveLength(1)
  })
})

test('a payment is unknown if the gateway does not answer in time', async () => {
  // The site may have two processes. This shopper calls the process whose timeout is shortened.
  const shopper = await Shopper.create({ ...site, visitor: () => new Visitor(site.directUrl) })
  site.context.gatewayTimeoutMs = 50
  const charged = Promise.withResolvers<void>()
  site.gatewayOverrides.createPayment = async (charge) => {
    await charged.promise
    return site.sandboxGateway.createPayment(charge)
  }
  const order = await shopper.order(orderParams())
  expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({
    code: 500,
    message: /hasn’t answered/,
  })
  charged.resolve()
  site.context.gatewayTimeoutMs = undefined
  await expect.poll(() => byKey(`pay:${order.id}:1`)).toMatchObject({ status: 'succeeded' })
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
})

describe('a payment that never reached the gateway', () => {
  const dropRequests = () => {
    site.gatewayOverrides.createPayment = () => Promise.reject(new Error('no route'))
  }

  test('is abandoned only after an hour, and the order can then be paid', async () => {
    const shopper = await Shopper.create(site)
    dropRequests()
    const order = await shopper.order(orderParams())
    await shopper.tryPay(order.id, await shopper.cardToken())
    for (const wait of [15_000, minute, 6 * minute]) await runJanitorIn(wait)
    expect(await attempts(order.id)).toMatchObject([{ status: 'unknown' }])
    await runJanitorIn(2 * hour)
    expect(await attempts(order.id)).toMatchObject([{ status: 'failed', decline_code: 'not_received' }])
    delete site.gatewayOverrides.createPayment
    expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({
      code: 200,
      info: { status: 'paid' },
    })
  })

  test('blocks a retry for a minute; if both payments then arrive, one of them is refunded', async () => {
    const shopper = await Shopper.create(site)
    let late: (() => Promise<unknown>) | undefined
    site.gatewayOverrides.createPayment = (charge) => {
      late = () => site.sandboxGateway.createPayment(charge)
      return Promise.reject(new Error('stuck on the way'))
    }
    const order = await shopper.order(orderParams())
    await shopper.tryPay(order.id, await shopper.cardToken())
    expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({
      code: 500,
      message: /hasn’t answered/,
    })
    site.advanceClock(61_000)
    delete site.gatewayOverrides.createPayment
    expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({
      code: 200,
      info: { status: 'paid' },
    })
    await late?.()
    await runJanitorIn(10 * minute)
    expect(await attempts(order.id)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }])
    const payments = (await listAllPayments(site.sandboxGateway)).filter(
      ({ orderId }) => orderId === order.id,
    )
    expect(payments.map(({ refundedCents }) => refundedCents).toSorted()).toEqual([0, 99])
  })
})
