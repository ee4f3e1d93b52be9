import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { orderNumber } from '#contract/order-number.ts'
import {
  buyEpisode,
  episodeIdOf,
  expectLedgerBalanced,
  applySandboxWebhook,
  startBillingSite,
  paymentOf,
  playbackCode,
  refundsOf,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import {
  compareSandboxBalance,
  compareGatewayBalance,
} from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { failRefunds } from '#server/features/billing/gateways/sandbox/queries.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { refundOrder } from './refund-order.ts'

const day = 86_400_000
const reason = 'goodwill'
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(async () => {
  await expectLedgerBalanced(site)
  expect(await compareSandboxBalance(site.context.db)).toEqual(
    await compareGatewayBalance(site.context.db, site.sandboxGateway),
  )
})

/** Returns the mails about refunds to the buyer. */
async function mailsAbout(shopper: Shopper) {
  return (await site.mails(shopper.email)).filter(({ subject }) => /Your (partial )?refund/.test(subject))
}

const hearOf = async (orderId: string) =>
  applySandboxWebhook(site, (await paymentOf(site, orderId)).reference)
const refund = (orderId: string, amountCents?: number, more: object = {}) =>
  refundOrder(site.context, orderId, {
    reason,
    ...(amountCents === undefined ? {} : { amountCents }),
    ...more,
  })
const refusal = (name: string) => expect.objectContaining({ reason: name })

describe('an order that is fully refunded', () => {
  test('is shown as refunded, its episode is locked, and the buyer gets a mail', async () => {
    const { shopper, order } = await buyEpisode(site)
    expect(await playbackCode(site, shopper)).toBe(200)
    expect(await refund(order.id)).toMatchObject({ status: 'succeeded', amountCents: 99 })
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded', refunded_cents: 99 })
    expect(await paymentOf(site, order.id)).toMatchObject({ refundedCents: 99 })
    expect(await playbackCode(site, shopper)).toBe(402)
    const [mail, ...more] = await mailsAbout(shopper)
    expect(mail?.text).toMatch(/\$0\.99/)
    expect(mail?.text).toContain(orderNumber(order.id))
    expect(more).toEqual([])
    const auditLog = await site.context.db
      .selectFrom('audit_events' as never)
      .select(['event', 'details'] as never)
      .execute()
    expect(auditLog).toContainEqual({
      event: 'order_refunded',
      details: expect.objectContaining({ order_id: order.id, refund_cents: 99, reason }),
    })
  })

  test('loses only its own entitlement, while other orders for the video keep theirs', async () => {
    const { shopper, order } = await buyEpisode(site, 4)
    await shopper.buy({ episode_id: episodeIdOf(site, 5) })
    await refund(order.id)
    expect([await playbackCode(site, shopper, 4), await playbackCode(site, shopper, 5)]).toEqual([402, 200])
  })

  test('does not prevent another purchase of the episode', async () => {
    const { shopper, order } = await buyEpisode(site)
    await refund(order.id)
    expect(await shopper.buy({ episode_id: episodeIdOf(site) })).toMatchObject({
      code: 200,
      info: { status: 'paid' },
    })
    expect(await playbackCode(site, shopper)).toBe(200)
  })

  test('cannot be paid again', async () => {
    const { shopper, order } = await buyEpisode(site)
    await refund(order.id)
    expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({ code: 409 })
  })
})

describe('an order that is partially refunded', () => {
  test('keeps its entitlement, and shows the refunded amount', async () => {
    const { shopper, order } = await buyEpisode(site)
    await refund(order.id, 40)
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'partially_refunded',
      refunded_cents: 40,
    })
    expect(await playbackCode(site, shopper)).toBe(200)
    expect((await mailsAbout(shopper))[0]?.subject).toBe('Your partial refund')
  })

  test("cannot be refunded by a fraction of the gateway's smallest unit", async () => {
    const { order } = await buyEpisode(site)
    site.gatewayOverrides.unitCents = () => 100
    await expect(
      refundOrder(site.context, order.id, { amountCents: 49, reason: 'test' }),
    ).rejects.toMatchObject({
      reason: 'refundHasDecimals',
      info: { unit_cents: 100 },
    })
  })

  test('loses its entitlement when everything is refunded, and cannot be refunded further', async () => {
    const { shopper, order } = await buyEpisode(site)
    await refund(order.id, 40)
    await refund(order.id, 9)
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'partially_refunded',
      refunded_cents: 49,
    })
    await expect(refund(order.id, 51)).rejects.toEqual(refusal('refundTooLarge'))
    await refund(order.id)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded', refunded_cents: 99 })
    expect(await playbackCode(site, shopper)).toBe(402)
    await expect(refund(order.id)).rejects.toEqual(refusal('notRefundable'))
    await expect(refund(order.id, 1)).rejects.toEqual(refusal('notRefundable'))
  })
})

test('a refund is refused if another refund was made since the operator saw the order', async () => {
  const { order } = await buyEpisode(site)
  await refund(order.id, 40, { knownRefundedCents: 0 })
  await expect(refund(order.id, 40, { knownRefundedCents: 0 })).rejects.toEqual(refusal('editConflict'))
  await refund(order.id, 40, { knownRefundedCents: 40 })
  expect(await paymentOf(site, order.id)).toMatchObject({ refundedCents: 80 })
})

test('a refund of an unpaid or unknown order is refused', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: episodeIdOf(site) })
  await expect(refund(order.id)).rejects.toEqual(refusal('notRefundable'))
  await expect(refund('ord_none')).rejects.toEqual(refusal('notFound'))
})

test('a full refund of a plan ends the plan immediately, revokes the access and stops the renewals', async () => {
  const person = await Subscriber.create(site)
  const [order] = await person.orders()
  expect(await person.canPlay()).toBe(true)
  await refund(order?.id ?? '')
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended' })
  expect(await person.canPlay()).toBe(false)
  expect(await person.membership()).toMatchObject({ state: 'free', renews_at: null })
  expect((await site.mails(person.shopper.email)).at(-1)?.subject).toMatch(/the end of your plan/)
  await person.advanceAndRenew(8 * day)
  expect(await person.payments()).toHaveLength(1)
})

test('a partial refund of a plan does not affect the plan or its renewals', async () => {
  const person = await Subscriber.create(site)
  const [order] = await person.orders()
  await refund(order?.id ?? '', 100)
  expect(await person.canPlay()).toBe(true)
  await person.advanceAndRenew(7 * day)
  expect(await person.payments('succeeded')).toHaveLength(2)
})

test('a full refund of a past period ends the plan after the current period, which remains paid', async () => {
  const person = await Subscriber.create(site)
  await person.advanceAndRenew(7 * day)
  const [first, second] = await person.orders()
  await refund(first?.id ?? '')
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 1 })
  expect(await person.canPlay()).toBe(true)
  expect(second).toMatchObject({ status: 'paid' })
  await person.advanceAndRenew(8 * day)
  expect(await person.canPlay()).toBe(false)
  expect(await person.payments()).toHaveLength(2)
})

describe('a refund without a response', () => {
  test('is found by the janitor, and made once', async () => {
    const { shopper, order } = await buyEpisode(site)
    site.gatewayOverrides.refundPayment = async (request) => {
      await site.sandboxGateway.refundPayment(request)
      throw new Error('the line broke')
    }
    expect(await refund(order.id, 40)).toMatchObject({ status: 'pending' })
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid', refunded_cents: 0 })
    await expect(refund(order.id, 41)).rejects.toEqual(refusal('refundInProgress'))
    delete site.gatewayOverrides.refundPayment
    site.advanceClock(15_000)
    await runJanitor(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'partially_refunded',
      refunded_cents: 40,
    })
    expect(await paymentOf(site, order.id)).toMatchObject({ refundedCents: 40 })
  })

  test('is found by a repeated request or by the webhook event', async () => {
    for (const find of [(id: string) => refund(id, 40), hearOf]) {
      const { shopper, order } = await buyEpisode(site)
      site.gatewayOverrides.refundPayment = async (request) => {
        await site.sandboxGateway.refundPayment(request)
        throw new Error('the line broke')
      }
      await refund(order.id, 40)
      delete site.gatewayOverrides.refundPayment
      await find(order.id)
      expect(await shopper.getOrder(order.id)).toMatchObject({ refunded_cents: 40 })
      expect(await refundsOf(site, order.id)).toHaveLength(1)
    }
  })

  test('is sent again if the gateway did not receive it', async () => {
    const { shopper, order } = await buyEpisode(site)
    site.gatewayOverrides.refundPayment = () => Promise.reject(new Error('no route'))
    await refund(order.id)
    expect(await playbackCode(site, shopper)).toBe(200)
    delete site.gatewayOverrides.refundPayment
    site.advanceClock(15_000)
    await runJanitor(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded' })
    expect(await playbackCode(site, shopper)).toBe(402)
  })
})

describe("a refund at the gateway's own dashboard", () => {
  const refundAtGateway = async (orderId: string, amountCents: number, key: string) =>
    site.sandboxGateway.refundPayment({
      reference: (await paymentOf(site, orderId)).reference,
      amountCents,
      key: `${orderId} ${key}`,
    })

  test.each([
    [
      'five concurrent webhook events',
      async (id: string) => void (await Promise.all([1, 2, 3, 4, 5].map(() => hearOf(id)))),
    ],
    ['the reconciliation', () => reconcile(site.context)],
  ])('is recorded once by %s', async (_, find) => {
    const { shopper, order } = await buyEpisode(site)
    await refundAtGateway(order.id, 40, 'part')
    await find(order.id)
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'partially_refunded',
      refunded_cents: 40,
    })
    await refundAtGateway(order.id, 59, 'rest')
    await find(order.id)
    await find(order.id)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded', refunded_cents: 99 })
    expect(await playbackCode(site, shopper)).toBe(402)
    expect((await refundsOf(site, order.id)).map(({ amount_cents }) => amount_cents)).toEqual([40, 59])
    expect(await mailsAbout(shopper)).toHaveLength(2)
  })

  test('is found by the reconciliation even if it is made long after the payment', async () => {
    const { shopper, order } = await buyEpisode(site)
    await reconcile(site.context)
    site.advanceClock(40 * day)
    await reconcile(site.context)
    await refundAtGateway(order.id, 40, 'late')
    await reconcile(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'partially_refunded',
      refunded_cents: 40,
    })
  })

  test('makes the gateway refuse a later refund of the site, and is then recorded', async () => {
    const { shopper, order } = await buyEpisode(site)
    await refundAtGateway(order.id, 99, 'all')
    await expect(refund(order.id)).rejects.toEqual(refusal('refundDeclined'))
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded', refunded_cents: 99 })
    expect((await refundsOf(site, order.id)).map(({ status }) => status).toSorted()).toEqual([
      'failed',
      'succeeded',
    ])
  })

  test.each([
    ['its webhook event', hearOf],
    ['the reconciliation', () => reconcile(site.context)],
  ])('is distinguished by %s from a pending refund of the site', async (_, find) => {
    const { shopper, order } = await buyEpisode(site)
    site.gatewayOverrides.refundPayment = async (request) => {
      await site.sandboxGateway.refundPayment(request)
      throw new Error('the line broke')
    }
    await refund(order.id, 40)
    delete site.gatewayOverrides.refundPayment
    await refundAtGateway(order.id, 30, 'part')
    await find(order.id)
    expect(await shopper.getOrder(order.id)).toMatchObject({ refunded_cents: 70 })
    expect(await refundsOf(site, order.id)).toMatchObject([
      { amount_cents: 40, reason },
      { amount_cents: 30 },
    ])
  })
})

describe('a successful refund', () => {
  test.each([
    ['a refund of the site', (id: string) => refund(id)],
    [
      'a refund at the gateway’s dashboard',
      async (id: string) => {
        await site.sandboxGateway.refundPayment({
          reference: (await paymentOf(site, id)).reference,
          amountCents: 99,
          key: id,
        })
        await hearOf(id)
      },
    ],
  ])(
    'is reversed, and the purchase is unlocked again, if the refund fails later at the gateway: %s',
    async (_, make) => {
      const { shopper, order } = await buyEpisode(site)
      await make(order.id)
      expect(await playbackCode(site, shopper)).toBe(402)
      await failRefunds(site.context.db, (await paymentOf(site, order.id)).reference, new Date())
      await hearOf(order.id)
      await hearOf(order.id)
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid', refunded_cents: 0 })
      expect(await playbackCode(site, shopper)).toBe(200)
      expect(await refundsOf(site, order.id)).toMatchObject([{ status: 'failed' }])
      await refund(order.id, 40)
      expect(await shopper.getOrder(order.id)).toMatchObject({
        status: 'partially_refunded',
        refunded_cents: 40,
      })
    },
  )

  test('stays successful if the gateway does not report it yet', async () => {
    const { shopper, order } = await buyEpisode(site)
    await refund(order.id)
    site.gatewayOverrides.retrievePayment = async (lookup) => {
      const payment = await site.sandboxGateway.retrievePayment(lookup)
      return payment && { ...payment, refundedCents: 0 }
    }
    await hearOf(order.id)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded', refunded_cents: 99 })
  })
})
