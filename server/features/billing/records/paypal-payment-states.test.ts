import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getEpisode } from '#contract/media.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { FakePaypal } from '#server/features/billing/gateways/paypal/fake/fake-paypal.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { loadReconciliation } from '#server/features/billing/admin/load-reconciliation.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'

const [hour, day] = [3_600_000, 86_400_000]
let paypal: FakePaypal
let site: TestSite
let video: BuiltVideo
let offset = 0
const clock = { now: () => new Date(Date.now() + offset) }

beforeAll(async () => {
  paypal = await FakePaypal.start()
  site = await startTestSite({ clock }, paypal.settings)
  video = await buildVideo(site.context)
})
afterAll(async () => {
  await site.close()
  await paypal.close()
})
afterEach(() => {
  paypal.recover()
  paypal.orders.initialRefundStatus = 'COMPLETED'
  paypal.orders.mayReadDisputes = true
  paypal.enforcesRetention = false
})

function advanceClock(milliseconds: number) {
  offset += milliseconds
  paypal.clockOffsetMs = offset
}

async function ordered() {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({
    episode_id: video.episodes[3]?.id,
    gateway: 'paypal',
    method: 'wallet',
  })
  return { shopper, order, token: new URL(order.next.url ?? '').searchParams.get('token') ?? '' }
}

/** Creates a paid episode for which no later webhook event arrives. */
async function createPaidOrder() {
  const { shopper, order, token } = await ordered()
  paypal.orders.approve(token)
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  return { shopper, order, token }
}

/** Sets the status of an order's capture at PayPal, and sends the event. */
function setCapture(token: string, status: string) {
  const order = paypal.orders.get(token)
  for (const capture of order.captures) capture.status = status
  const [capture] = order.captures
  const type = status === 'SOMETHING_NEW' ? 'PENDING' : status
  if (capture) paypal.emitEvent(`PAYMENT.CAPTURE.${type}`, paypal.orders.presentCapture(order, capture))
}

const playing = async (shopper: Shopper) => {
  const query = { episode_id: video.episodes[3]?.id ?? '' }
  return (await shopper.visitor.call(getEpisode, { query })).answer.code
}

const discrepancyOf = async (reference: string) => {
  const { discrepancies } = await loadReconciliation(site.context, undefined)
  return discrepancies.find((one) => one.reference === reference)
}

describe('a payment with an open dispute', () => {
  test.each(['PENDING', 'DECLINED', 'REVERSED'])(
    'is charged back, even if PayPal changes the state of the capture to %s',
    async (status) => {
      const { shopper, order, token } = await createPaidOrder()
      paypal.orders.dispute(token, 'open', clock.now())
      setCapture(token, status)
      await reconcile(site.context)
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
      expect(await playing(shopper)).toBe(402)
      paypal.orders.dispute(token, 'lost', clock.now())
      await reconcile(site.context)
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
      expect(await discrepancyOf(token)).toBeUndefined()
    },
  )

  test('returns to the status paid when the dispute is won and PayPal completes the capture', async () => {
    const { shopper, order, token } = await createPaidOrder()
    paypal.orders.dispute(token, 'open', clock.now())
    setCapture(token, 'PENDING')
    await reconcile(site.context)
    paypal.orders.dispute(token, 'won', clock.now())
    setCapture(token, 'COMPLETED')
    await reconcile(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    expect(await playing(shopper)).toBe(200)
  })
})

describe('a dispute that PayPal does not report completely', () => {
  const troubles = [
    ['refuses to list disputes', () => void (paypal.orders.mayReadDisputes = false)],
    [
      'returns an invalid list of disputes',
      () => void (paypal.fault = { on: /customer\/disputes$/, with: ['blank'] }),
    ],
    [
      'returns an invalid dispute',
      () => void (paypal.fault = { on: /customer\/disputes\/\S+$/, with: ['blank'] }),
    ],
  ] as const

  test.each(troubles)(
    'keeps its known status and becomes a discrepancy while PayPal %s',
    async (_, begin) => {
      const { shopper, order, token } = await createPaidOrder()
      paypal.orders.dispute(token, 'open', clock.now())
      await reconcile(site.context)
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
      advanceClock(3 * day)
      begin()
      await reconcile(site.context)
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
      expect(await playing(shopper)).toBe(402)
      expect(await discrepancyOf(token)).toMatchObject({ kind: 'payment', order_id: order.id })
      paypal.recover()
      paypal.orders.mayReadDisputes = true
      await reconcile(site.context)
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
      expect(await discrepancyOf(token)).toBeUndefined()
      paypal.orders.dispute(token, 'won', clock.now())
      await reconcile(site.context)
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    },
  )

  test('remains open if PayPal reports it as resolved without an outcome', async () => {
    const { shopper, order, token } = await createPaidOrder()
    paypal.orders.dispute(token, 'open', clock.now())
    await reconcile(site.context)
    paypal.orders.dispute(token, 'won', clock.now())
    const [capture] = paypal.orders.get(token).captures
    const dispute = paypal.orders.disputes.get(capture?.id ?? '')
    delete dispute?.dispute_outcome
    await reconcile(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
    expect(await discrepancyOf(token)).toMatchObject({
      order_id: order.id,
      ledger_cents: 0,
      gateway_cents: null,
    })
    paypal.orders.dispute(token, 'won', clock.now())
    await reconcile(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    expect(await discrepancyOf(token)).toBeUndefined()
  })

  test('is found when PayPal returns disputes again, even after many days', async () => {
    const { shopper, order, token } = await createPaidOrder()
    paypal.orders.mayReadDisputes = false
    await reconcile(site.context)
    expect(await discrepancyOf('disputes')).toMatchObject({ kind: 'disputes', gateway: 'paypal' })
    paypal.orders.dispute(token, 'open', clock.now())
    for (let days = 0; days < 10; days += 2) {
      advanceClock(2 * day)
      await reconcile(site.context)
    }
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    paypal.orders.mayReadDisputes = true
    await reconcile(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
    expect(await discrepancyOf('disputes')).toBeUndefined()
  })
})

describe('a booked payment whose state later changes at PayPal', () => {
  test('is charged back when PayPal reverses the capture without a dispute', async () => {
    const { shopper, order, token } = await createPaidOrder()
    setCapture(token, 'REVERSED')
    await reconcile(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
  })

  test.each(['PENDING', 'DECLINED', 'DENIED', 'SOMETHING_NEW'])(
    'is a discrepancy in the studio while the capture has the state %s',
    async (status) => {
      const { order, token } = await createPaidOrder()
      setCapture(token, status)
      await reconcile(site.context)
      expect(await discrepancyOf(token)).toMatchObject({
        kind: 'payment',
        order_id: order.id,
        ledger_cents: 99,
        gateway_cents: 0,
      })
      setCapture(token, 'COMPLETED')
      await reconcile(site.context)
      expect(await discrepancyOf(token)).toBeUndefined()
    },
  )

  test('is a discrepancy if PayPal deletes the order', async () => {
    const { token } = await createPaidOrder()
    setCapture(token, 'DECLINED')
    await reconcile(site.context)
    const order = paypal.orders.get(token)
    paypal.orders.all.delete(token)
    advanceClock(3 * day)
    await reconcile(site.context)
    expect(await discrepancyOf(token)).toBeDefined()
    paypal.orders.all.set(token, order)
    setCapture(token, 'COMPLETED')
    await reconcile(site.context)
  })
})

describe('a paid order that PayPal has deleted', () => {
  /** Sends the latest event of PayPal to the site's webhook. */
  async function send() {
    const [event] = paypal.events
    if (!event) throw new Error('there is no event')
    const { body, headers } = paypal.signed(event)
    const answer = await site
      .visitor()
      .fetch('/api/webhook/payment/paypal', { method: 'POST', body: body.toString(), headers })
    expect(answer.status).toBe(204)
  }
  const reporters = [
    ['the webhook', send],
    ['the reconciliation', () => reconcile(site.context)],
  ] as const
  const losses = [
    [
      'the order',
      (token: string) => void (paypal.fault = { on: new RegExp(`orders/${token}$`), with: ['404'] }),
    ],
    ['order and capture', (token: string) => void paypal.orders.all.delete(token)],
  ] as const
  const cases = reporters.flatMap(([by, learn]) => losses.map(([what, lose]) => ({ by, learn, what, lose })))
  const statusOf = (id: string) =>
    site.context.db.selectFrom('orders').select('status').where('id', '=', id).executeTakeFirst()

  test.each(cases)(
    'gets the status of its dispute from $by although PayPal has deleted $what',
    async ({ learn, lose }) => {
      const { shopper, order, token } = await createPaidOrder()
      paypal.orders.dispute(token, 'open', clock.now())
      lose(token)
      await learn()
      await expect.poll(() => statusOf(order.id)).toEqual({ status: 'charged_back' })
      expect(await playing(shopper)).toBe(402)
      // The discrepancy is stored after the dispute is settled, and a webhook event is applied after its response.
      await expect.poll(() => discrepancyOf(token)).toMatchObject({ kind: 'payment', order_id: order.id })
      advanceClock(3 * day)
      for (const dispute of paypal.orders.disputes.values()) {
        if (dispute.disputed_transactions[0]?.invoice_number !== (await attemptOf(order.id))) continue
        Object.assign(dispute, {
          status: 'RESOLVED',
          dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' },
        })
      }
      await reconcile(site.context)
      expect(await statusOf(order.id)).toEqual({ status: 'paid' })
      expect(await discrepancyOf(token)).toMatchObject({ kind: 'payment', order_id: order.id })
    },
  )

  test.each(cases)(
    'is a discrepancy if $by finds a reversal although PayPal has deleted $what',
    async ({ learn, lose }) => {
      const { order, token } = await createPaidOrder()
      setCapture(token, 'REVERSED')
      lose(token)
      await learn()
      await expect.poll(() => discrepancyOf(token)).toMatchObject({ kind: 'payment', order_id: order.id })
    },
  )

  test.each(cases)(
    'is a discrepancy if $by finds a refund although PayPal has deleted $what',
    async ({ learn, lose }) => {
      const { order, token } = await createPaidOrder()
      const [capture] = paypal.orders.get(token).captures
      paypal.orders.refund(capture?.id ?? '', { amount: { currency_code: 'USD', value: '0.99' } })
      lose(token)
      await learn()
      await expect.poll(() => discrepancyOf(token)).toMatchObject({ kind: 'payment', order_id: order.id })
    },
  )

  async function attemptOf(orderId: string) {
    const attempts = site.context.db
      .selectFrom('payment_attempts')
      .select('id')
      .where('order_id', '=', orderId)
    return (await attempts.executeTakeFirst())?.id
  }
})

describe('the reconciliation of listed payments', () => {
  /** Creates a capture of another shop that uses the same account. */
  function foreignCapture(amount = { currency_code: 'USD', value: '5.00' }): string {
    const { id } = paypal.orders.create({
      intent: 'CAPTURE',
      purchase_units: [{ amount }],
      payment_source: {
        paypal: { experience_context: { return_url: 'https://shop.example', cancel_url: '' } },
      },
    })
    paypal.orders.approve(id)
    paypal.orders.capture(paypal.orders.get(id))
    return id
  }

  test('records a capture of another shop as a discrepancy, and continues with the other payments', async () => {
    const foreign = foreignCapture()
    const { shopper, order, token } = await createPaidOrder()
    setCapture(token, 'REVERSED')
    await reconcile(site.context)
    expect(await discrepancyOf(foreign)).toMatchObject({ kind: 'unmatched_payment', gateway_cents: 500 })
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
  })

  test('records a huge capture and a capture without a currency as discrepancies, and continues with the other payments', async () => {
    const large = foreignCapture({ currency_code: 'JPY', value: '30000000' })
    const blank = foreignCapture()
    const [unit] = paypal.orders.get(blank).request.purchase_units
    if (unit) unit.amount = JSON.parse('{"value":"5.00"}')
    const { shopper, order, token } = await createPaidOrder()
    setCapture(token, 'REVERSED')
    await reconcile(site.context)
    expect(await discrepancyOf(large)).toMatchObject({
      kind: 'unmatched_payment',
      gateway_cents: 3_000_000_000,
    })
    expect(await discrepancyOf(blank)).toMatchObject({ kind: 'payment', gateway_cents: null })
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
  })

  test.each([
    ['an order', /checkout\/orders\/\w+$/],
    ['a capture', /payments\/captures\/\w+$/],
    ['a dispute', /customer\/disputes\/\S+$/],
  ])(
    'records a discrepancy for %s that cannot be read, and continues with the other payments',
    async (_, path) => {
      const bad = await createPaidOrder()
      const good = await createPaidOrder()
      paypal.orders.dispute(bad.token, 'open', clock.now())
      setCapture(good.token, 'REVERSED')
      paypal.fault = { on: path, with: ['500 before', '500 before', 'none'] }
      await reconcile(site.context)
      const met = (await loadReconciliation(site.context, undefined)).discrepancies.some(
        ({ kind }) => kind === 'payment',
      )
      paypal.recover()
      expect(met).toBe(true)
      expect(await good.shopper.getOrder(good.order.id)).toMatchObject({ status: 'charged_back' })
      await reconcile(site.context)
      expect(await bad.shopper.getOrder(bad.order.id)).toMatchObject({ status: 'charged_back' })
    },
  )
})

describe('a refund that takes PayPal several days', () => {
  test('is read until it ends; if it fails, the order returns to the status paid, even without an event', async () => {
    const { shopper, order, token } = await createPaidOrder()
    paypal.orders.initialRefundStatus = 'PENDING'
    await refundOrder(site.context, order.id, { reason: 'goodwill' })
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded' })
    await reconcile(site.context)
    advanceClock(5 * day)
    paypal.orders.failRefunds(token)
    paypal.events.splice(0)
    await reconcile(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid', refunded_cents: 0 })
    expect(await playing(shopper)).toBe(200)
  })

  test('is not read again after it has ended', async () => {
    const { order, token } = await createPaidOrder()
    paypal.orders.initialRefundStatus = 'PENDING'
    await refundOrder(site.context, order.id, { reason: 'goodwill' })
    await reconcile(site.context)
    for (const refund of paypal.orders.get(token).refunds) refund.status = 'COMPLETED'
    advanceClock(5 * day)
    await reconcile(site.context)
    const before = paypal.count(new RegExp(`orders/${token}$`))
    await reconcile(site.context)
    expect(paypal.count(new RegExp(`orders/${token}$`))).toBe(before)
  })
})

describe('a payment that PayPal is still processing', () => {
  test('leaves its order open, is shown as processing, and is read daily until it ends', async () => {
    const { shopper, order, token } = await ordered()
    paypal.orders.approve(token, 'pending')
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'pending', processing: true })
    for (const wait of [hour, day, day, day, day, day, day, day]) {
      advanceClock(wait)
      await runJanitor(site.context)
    }
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'pending', processing: true })
    expect(await shopper.tryPay(order.id, undefined)).toMatchObject({ message: /won’t be charged twice/ })
    paypal.orders.decideCaptures(token, 'COMPLETED')
    paypal.events.splice(0)
    advanceClock(day)
    await runJanitor(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  })

  test('lets the order expire if it fails', async () => {
    const { shopper, order, token } = await ordered()
    paypal.orders.approve(token, 'pending')
    await shopper.getOrder(order.id)
    advanceClock(2 * day)
    paypal.orders.decideCaptures(token, 'DECLINED')
    await shopper.getOrder(order.id)
    await runJanitor(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'expired' })
  })
})

describe('a reconciliation after a long outage', () => {
  test('lists payments only as far back as PayPal allows, and reports the omitted time for thirty days', async () => {
    const early = await createPaidOrder()
    await reconcile(site.context)
    advanceClock(100 * day)
    paypal.orders.dispute(early.token, 'open', clock.now())
    advanceClock(100 * day)
    paypal.enforcesRetention = true
    const { shopper, order, token } = await createPaidOrder()
    setCapture(token, 'REVERSED')
    await reconcile(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
    expect(await early.shopper.getOrder(early.order.id)).toMatchObject({ status: 'charged_back' })
    const unlisted = async () =>
      (await loadReconciliation(site.context, undefined)).discrepancies.filter(
        ({ kind }) => kind === 'unlisted',
      )
    expect(await unlisted()).toMatchObject([
      { gateway: 'paypal', reference: expect.stringMatching(/^not-listed:.+Z\/.+Z$/) },
    ])
    advanceClock(20 * day)
    await reconcile(site.context)
    expect(await unlisted()).toHaveLength(1)
    advanceClock(20 * day)
    await reconcile(site.context)
    expect(await unlisted()).toEqual([])
  })

  test.each([
    ['a dispute', /customer\/disputes\/\S+$/, '404'],
    ['the capture of a dispute', /payments\/captures\/\w+$/, '500 before'],
  ] as const)(
    'reports a discrepancy until PayPal returns %s, even if the dispute is too old for the list',
    async (_, path, fault) => {
      const { shopper, order, token } = await createPaidOrder()
      paypal.orders.dispute(token, 'open', clock.now())
      const named = async () =>
        (await loadReconciliation(site.context, undefined)).discrepancies.filter(({ reference }) =>
          reference?.startsWith('dispute:'),
        )
      paypal.fault = { on: path, with: ['500 before'] }
      await reconcile(site.context)
      expect(await named()).toHaveLength(1)
      advanceClock(3 * day)
      await reconcile(site.context)
      expect(await named()).toHaveLength(1)
      paypal.fault = { on: path, with: [fault] }
      await reconcile(site.context)
      expect(await named()).toHaveLength(1)
      paypal.recover()
      await reconcile(site.context)
      expect(await named()).toEqual([])
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'charged_back' })
    },
  )
})
