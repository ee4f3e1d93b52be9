import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderNumber } from '#contract/order-number.ts'
import {
  syncOrder,
  exportOrders,
  getOrder,
  getReconciliation,
  listDisputes,
  listOrders,
  refundOrder,
  runReconciliation,
  type Reconciliation,
} from '#contract/studio/orders.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { insertWebhookEvent } from '#server/features/billing/records/webhook-event-queries.ts'
import { dayMs } from '#server/platform/clock.ts'
import {
  buyEpisode,
  episodeIdOf,
  applySandboxWebhook,
  startBillingSite,
  paymentOf,
  refundsOf,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

let site: BillingSite
let owner: TestOperator
let support: TestOperator
let analyst: TestOperator
let editor: TestOperator

beforeAll(async () => {
  site = await startBillingSite({ SUPPORT_REFUND_LIMIT_CENTS: '60, JPY:70' })
  owner = await signInOperator(site, 'owner')
  support = await signInOperator(site, 'support')
  analyst = await signInOperator(site, 'analyst')
  editor = await signInOperator(site, 'editor')
})
afterAll(() => site.close())

/** Signs all operators in again, because sessions of the studio expire as the clock moves. */
async function letAllIn(): Promise<void> {
  owner = await signInOperator(site, 'owner')
  support = await signInOperator(site, 'support')
  analyst = await signInOperator(site, 'analyst')
  editor = await signInOperator(site, 'editor')
}

const run = (...args: string[]) => runStudioCommand(site.context, args)

describe('the orders', () => {
  it('are filtered by state, gateway, customer and date, latest first, in pages', async () => {
    const { shopper, order } = await buyEpisode(site)
    const open = await shopper.order({ episode_id: episodeIdOf(site, 5) })
    const { list } = await support.studio.callOk(listOrders, {
      query: { customer: shopper.email.toUpperCase() },
    })
    expect(list.map(({ id }) => id)).toEqual([open.id, order.id])
    expect(list[1]).toMatchObject({ status: 'paid', number: 4, email: shopper.email, amount_cents: 99 })
    const { user_id: customer = '', created_at: since = '' } = list[0] ?? {}
    const [newest] = list
    const typed = orderNumber(newest?.id ?? '').toLowerCase()
    const byShortNumber = await support.studio.callOk(listOrders, { query: { customer: typed } })
    expect(byShortNumber.list.map(({ id }) => id)).toEqual([newest?.id])
    const byNumber = await support.studio.callOk(listOrders, { query: { customer: ` ${newest?.id}` } })
    expect(byNumber.list).toEqual([newest])
    const find = (query: object) => support.studio.callOk(listOrders, { query: { customer, ...query } })
    expect((await find({ status: 'paid' })).list.map(({ id }) => id)).toEqual([order.id])
    expect((await find({ gateway: 'paypal' })).list).toEqual([])
    expect((await find({ since })).list.map(({ id }) => id)).toEqual([open.id])
    expect((await find({ until: since })).list.map(({ id }) => id)).toEqual([order.id])
    const first = await find({ limit: 1 })
    const second = await find({ limit: 1, cursor: first.next_cursor ?? '' })
    expect([...first.list, ...second.list].map(({ id }) => id)).toEqual([open.id, order.id])
    expect(second.next_cursor).toBeNull()
  })

  it('refuse a period that ends before it begins, in the list, the export and the file', async () => {
    const query = { since: '2026-05-02T00:00:00.000Z', until: '2026-05-01T00:00:00.000Z' }
    for (const endpoint of [listOrders, exportOrders])
      expect((await owner.studio.call(endpoint, { query })).answer).toMatchObject({
        code: 500,
        info: { field: 'until' },
        message: expect.stringContaining('The end date is before the start date'),
      })
    const file = await owner.studio.fetch(`/api/studio/orders.csv?${new URLSearchParams(query)}`)
    expect(file.status).toBe(400)
    await expect(run('order', 'list', '--since', query.since, '--until', query.until)).rejects.toThrow(
      /before the start date/,
    )
  })

  it('refuse a cursor that was issued for other filters', async () => {
    await Promise.all([buyEpisode(site), buyEpisode(site)])
    const { next_cursor: cursor } = await owner.studio.callOk(listOrders, { query: { limit: 1 } })
    const other = await owner.studio.call(listOrders, { query: { status: 'paid', cursor: cursor ?? '' } })
    expect(other.status).toBe(400)
  })

  it('do not show buyers to an analyst, who cannot search for an address either', async () => {
    const { shopper, order } = await buyEpisode(site)
    const { list } = await analyst.studio.callOk(listOrders)
    expect(list.find(({ id }) => id === order.id)?.email).toBeNull()
    expect((await analyst.studio.callOk(getOrder, { query: { id: order.id } })).order.email).toBeNull()
    const denied = await analyst.studio.call(listOrders, { query: { customer: shopper.email } })
    expect(denied.answer.code).toBe(403)
  })
})

describe('one order', () => {
  it('shows its attempts, webhook events, ledger lines and entitlements, and no secret', async () => {
    const shopper = await Shopper.create(site)
    const { id } = await shopper.order({ episode_id: episodeIdOf(site) })
    await shopper.tryPay(id, await shopper.cardToken(testCards.declined))
    await shopper.tryPay(id, await shopper.cardToken())
    const payments = await listAllPayments(site.sandboxGateway)
    const paid = payments.find(({ orderId, status }) => orderId === id && status === 'succeeded')
    const now = site.context.clock.now()
    const webhookEvent = {
      gateway: 'sandbox',
      event_id: `evt_${id}`,
      reference: paid?.reference ?? '',
    } as const
    await insertWebhookEvent(site.context.db, { ...webhookEvent, received_at: now, next_poll_at: now })
    const file = await support.studio.callOk(getOrder, { query: { id } })
    expect(file.attempts.map(({ status, decline_code }) => [status, decline_code])).toEqual([
      ['succeeded', null],
      ['failed', 'card_declined'],
    ])
    expect(file.webhook_events).toEqual([
      expect.objectContaining({ event_id: `evt_${id}`, applied_at: null }),
    ])
    expect(file.ledger.map(({ account, amount_cents }) => [account, amount_cents])).toEqual([
      ['gateway:sandbox', 99],
      ['sales:episode', -99],
    ])
    expect(file.entitlements).toEqual([
      expect.objectContaining({ number: 4, revoked_at: null, order_id: id }),
    ])
    expect(JSON.stringify(file)).not.toMatch(/idempotency|secret|token|network/)
  })

  it('is not found if it does not exist', async () => {
    expect((await owner.studio.call(getOrder, { query: { id: 'ord_none' } })).answer.code).toBe(404)
  })
})

it('the order of a failed renewal is past due and has the time of the next attempt', async () => {
  const day = 86_400_000
  const subscriber = await Subscriber.create(site, { card: testCards.declinesRenewals })
  const [first] = await subscriber.orders()
  const paid = await support.studio.callOk(getOrder, { query: { id: first?.id ?? '' } })
  const renewal = (await subscriber.subscriptionRow()).period_ends_at?.toISOString()
  expect(paid.renews_at).toBe(renewal)
  expect(Date.parse(paid.entitlements[0]?.ends_at ?? '')).toBeGreaterThan(Date.parse(renewal ?? ''))
  await subscriber.advanceAndRenew(7 * day + 1000)
  await letAllIn()
  const { list } = await support.studio.callOk(listOrders, { query: { customer: subscriber.userId } })
  const retryAt = (await subscriber.subscriptionRow()).next_charge_at?.toISOString()
  expect(list.map(({ status, past_due, retry_at }) => [status, past_due, retry_at])).toEqual([
    ['pending', true, retryAt],
    ['paid', false, null],
  ])
  expect(Date.parse(retryAt ?? '')).toBeGreaterThan(site.context.clock.now().getTime())
  for (const days of [1, 2, 1]) await subscriber.advanceAndRenew(days * day)
  await letAllIn()
  const ended = await support.studio.callOk(listOrders, { query: { customer: subscriber.userId } })
  expect(ended.list[0]).toMatchObject({ status: 'failed', past_due: false, retry_at: null })
})

describe('a refund', () => {
  it('can return a part and then the rest, and the audit log has the operator and the values before and after', async () => {
    const { order } = await buyEpisode(site)
    const part = { id: order.id, amount_cents: 40, reason: 'goodwill' }
    expect(await owner.studio.callOk(refundOrder, { body: part })).toMatchObject({
      status: 'succeeded',
      order_status: 'partially_refunded',
      refunded_cents: 40,
    })
    const rest = await owner.studio.callOk(refundOrder, { body: { id: order.id } })
    expect(rest).toMatchObject({ amount_cents: 59, order_status: 'refunded', refunded_cents: 99 })
    const file = await owner.studio.callOk(getOrder, { query: { id: order.id } })
    expect(file.refunds.map(({ amount_cents, reason }) => [amount_cents, reason])).toEqual([
      [40, 'goodwill'],
      [59, 'by the operator'],
    ])
    expect(file.refundable_cents).toBe(0)
    const { list } = await owner.studio.callOk(listAuditEvents, { query: { subject: order.id } })
    const [last, requested] = list.filter(({ event }) => event === 'studio order refund')
    const payments = list.map(({ event }) => event).filter((event) => event.includes('_'))
    expect(payments).toEqual(['order_refunded', 'order_refunded', 'order_paid'])
    expect(requested).toMatchObject({
      operator: owner.email,
      details: { before: { asked: { id: order.id } } },
    })
    expect(last).toMatchObject({
      operator: owner.email,
      details: { before: { refunded_cents: 40 }, after: { refunded_cents: 99, status: 'refunded' } },
    })
  })

  it('by support is limited per order, even in several parts, and an owner may exceed the limit', async () => {
    const { order } = await buyEpisode(site)
    const refund = (who: TestOperator, cents?: number) =>
      who.studio.call(refundOrder, {
        body: { id: order.id, ...(cents === undefined ? {} : { amount_cents: cents }) },
      })
    const message = 'This is more than your role may refund per order. An owner can refund the rest.'
    expect((await refund(support)).answer).toMatchObject({ code: 403, message })
    expect((await refund(support, 61)).answer.code).toBe(403)
    expect((await refund(support, 40)).answer.code).toBe(200)
    expect((await support.studio.callOk(getOrder, { query: { id: order.id } })).refundable_cents).toBe(20)
    expect((await refund(support, 21)).answer.code).toBe(403)
    expect((await refund(support, 20)).answer.code).toBe(200)
    expect((await refund(support, 1)).answer.code).toBe(403)
    expect((await owner.studio.callOk(getOrder, { query: { id: order.id } })).refundable_cents).toBe(39)
    expect((await refund(owner)).answer.code).toBe(200)
  })

  it('by support does not exceed the limit, even by many concurrent requests', async () => {
    const { order } = await buyEpisode(site)
    const body = { id: order.id, amount_cents: 25 }
    await Promise.all(Array.from({ length: 6 }, () => support.studio.call(refundOrder, { body })))
    const refundedCents = (await refundsOf(site, order.id)).reduce((sum, each) => sum + each.amount_cents, 0)
    expect(refundedCents).toBeLessThanOrEqual(60)
  })

  it('by support is limited per day, operator and currency to ten times the limit per order', async () => {
    const busy = await signInOperator(site, 'support')
    const refund = async (who: TestOperator, cents: number, currency = 'USD') => {
      const { order } = await buyEpisode(site)
      const { db } = site.context
      await db.updateTable('orders').set({ currency }).where('id', '=', order.id).execute()
      return (await who.studio.call(refundOrder, { body: { id: order.id, amount_cents: cents } })).answer
    }
    for (let count = 0; count < 9; count++) expect((await refund(busy, 60)).code).toBe(200)
    // Sends the tenth and the eleventh refund concurrently.
    const codes = (await Promise.all([refund(busy, 60), refund(busy, 60)])).map(({ code }) => code)
    expect(codes.toSorted()).toEqual([200, 403])
    const message = 'This is more than your role may refund per day. An owner can refund it.'
    expect(await refund(busy, 1)).toMatchObject({ code: 403, message, info: { limit_cents: 600 } })
    expect((await refund(busy, 70, 'JPY')).code).toBe(200)
    expect(await refund(busy, 71, 'JPY')).toMatchObject({ code: 403, info: { limit_cents: 70 } })
    expect((await refund(support, 60)).code).toBe(200)
    expect((await refund(owner, 99)).code).toBe(200)
  })

  it('is refused if the order was refunded after the operator loaded it', async () => {
    const { order } = await buyEpisode(site)
    await owner.studio.callOk(refundOrder, { body: { id: order.id, amount_cents: 10 } })
    const late = { id: order.id, amount_cents: 10, known_refunded_cents: 0 }
    expect((await owner.studio.call(refundOrder, { body: late })).answer.code).toBe(409)
  })

  it('is not allowed to the editor or the analyst', async () => {
    const { order } = await buyEpisode(site)
    for (const { studio } of [editor, analyst])
      expect((await studio.call(refundOrder, { body: { id: order.id } })).answer.code).toBe(403)
    expect(await refundsOf(site, order.id)).toEqual([])
  })

  it('can be made on the command line without a limit', async () => {
    const { order } = await buyEpisode(site)
    expect(await run('order', 'refund', order.id, '--amount_cents', '40', '--reason', 'goodwill')).toContain(
      'refunded: $0.40',
    )
    expect(await run('order', 'refund', order.id)).toContain('order_status: refunded')
    await expect(run('order', 'refund', order.id)).rejects.toThrow(/nothing to refund/)
    await expect(run('order', 'refund', 'ord_none')).rejects.toThrow(/Not found/)
    await expect(run('order', 'refund', order.id, '--amount_cents', '4.99')).rejects.toThrow(
      /amount_cents must be integer/,
    )
    await expect(run('order', 'refund', order.id, '--amount_cents', '0')).rejects.toThrow(
      /amount_cents must be >= 1/,
    )
  })

  it('is reported as waiting for a retry if the gateway does not respond', async () => {
    const { order } = await buyEpisode(site)
    site.gatewayOverrides.refundPayment = () => Promise.reject(new Error('no route'))
    const body = { id: order.id }
    expect(await owner.studio.callOk(refundOrder, { body })).toMatchObject({
      status: 'pending',
      refunded_cents: 0,
    })
    delete site.gatewayOverrides.refundPayment
    // A sync sends the refund once more, with the same idempotency key.
    expect(await support.studio.callOk(syncOrder, { body })).toEqual({ settled: true, status: 'refunded' })
    expect(await paymentOf(site, order.id)).toMatchObject({ refundedCents: 99 })
  })
})

describe('"Sync with gateway"', () => {
  it('finds a payment whose response was lost, and marks the order as paid', async () => {
    const shopper = await Shopper.create(site)
    const { id } = await shopper.order({ episode_id: episodeIdOf(site) })
    const { createPayment } = site.sandboxGateway
    site.gatewayOverrides.createPayment = async (charge) => {
      await createPayment.call(site.sandboxGateway, charge)
      throw new Error('the line broke')
    }
    await shopper.tryPay(id, await shopper.cardToken())
    delete site.gatewayOverrides.createPayment
    expect((await owner.studio.callOk(getOrder, { query: { id } })).order.status).toBe('pending')
    expect(await support.studio.callOk(syncOrder, { body: { id } })).toEqual({
      settled: true,
      status: 'paid',
    })
    const file = await owner.studio.callOk(getOrder, { query: { id } })
    expect(file.entitlements).toHaveLength(1)
  })

  it('reports a gateway that does not respond, and changes nothing', async () => {
    const { order } = await buyEpisode(site)
    site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('no route'))
    const body = { id: order.id }
    expect(await support.studio.callOk(syncOrder, { body })).toEqual({ settled: false, status: 'paid' })
    delete site.gatewayOverrides.retrievePayment
  })

  it('returns 404 for an unknown order', async () => {
    expect((await owner.studio.call(syncOrder, { body: { id: 'ord_none' } })).answer.code).toBe(404)
  })
})

it('a dispute is listed as open, and after it was won, only as won', async () => {
  const shopper = await Shopper.create(site)
  const { info } = await shopper.buy({ episode_id: episodeIdOf(site) }, testCards.disputed)
  const id = info?.id ?? ''
  await applySandboxWebhook(site, (await paymentOf(site, id)).reference)
  const { list } = await support.studio.callOk(listDisputes)
  expect(list).toEqual([
    expect.objectContaining({
      state: 'open',
      disputed_cents: 99,
      reason: 'fraudulent',
      respond_by: expect.any(String),
      gateway_url: null,
      order: expect.objectContaining({ id }),
    }),
  ])
  expect(list[0]?.order.status).toBe('charged_back')
  site.advanceClock(10 * 86_400_000)
  await applySandboxWebhook(site, (await paymentOf(site, id)).reference)
  await letAllIn()
  expect((await support.studio.callOk(listDisputes)).list).toEqual([])
  const won = await support.studio.callOk(listDisputes, { query: { state: 'won' } })
  expect(won.list.map(({ order, disputed_cents }) => [order.id, order.status, disputed_cents])).toEqual([
    [id, 'paid', 99],
  ])
})

describe('the reconciliation', () => {
  beforeAll(async () => {
    // Begins with a day, because these tests move the clock by minutes within a day.
    site.advanceClock(dayMs - (site.context.clock.now().getTime() % dayMs))
    await letAllIn()
  })

  it('has the totals of the day’s ledger lines, and the same balance in the ledger as at the gateway', async () => {
    site.advanceClock(86_400_000)
    owner = await signInOperator(site, 'owner')
    const { order } = await buyEpisode(site)
    await Subscriber.create(site)
    await owner.studio.callOk(refundOrder, { body: { id: order.id, amount_cents: 40 } })
    const { totals, gateways, balances } = await owner.studio.callOk(runReconciliation, { body: {} })
    const usd = { gateway: 'sandbox', currency: 'USD' }
    expect(totals).toEqual([
      { ...usd, kind: 'charge', transactions: 2, amount_cents: 99 + 499 },
      { ...usd, kind: 'refund', transactions: 1, amount_cents: -40 },
    ])
    expect(gateways.map(({ id }) => id)).toEqual(['sandbox'])
    expect(balances).toEqual([{ ...usd, ledger_cents: 558, gateway_cents: 558 }])
    const empty = await owner.studio.callOk(getReconciliation, { query: { day: '2020-01-01' } })
    expect(empty.totals).toEqual([])
  })

  it('has a discrepancy for a different amount and for a payment that matches no order', async () => {
    const { order } = await buyEpisode(site)
    const sound = await paymentOf(site, order.id)
    const foreign = { ...sound, reference: 'sbx_elsewhere', orderId: 'ord_x', attemptId: 'att_x' }
    const returned = { ...foreign, reference: 'sbx_returned', refundedCents: 99 }
    const wrong = { ...sound, refundedCents: 10 }
    site.gatewayOverrides.listPayments = async function* () {
      yield [foreign, returned, wrong]
    }
    site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('no route'))
    const { discrepancies, gateways } = await owner.studio.callOk(runReconciliation, { body: {} })
    Object.assign(site.gatewayOverrides, { listPayments: undefined, retrievePayment: undefined })
    expect(gateways[0]?.reconciled_until).not.toBeNull()
    expect(discrepancies).toContainEqual(
      expect.objectContaining({
        kind: 'payment',
        order_id: order.id,
        reference: sound.reference,
        ledger_cents: 99,
        gateway_cents: 89,
      }),
    )
    expect(discrepancies).toContainEqual(
      expect.objectContaining({
        kind: 'unmatched_payment',
        reference: 'sbx_elsewhere',
        ledger_cents: 0,
        gateway_cents: 99,
      }),
    )
    expect(discrepancies.map(({ reference }) => reference)).not.toContain('sbx_returned')
    const difference = ({ balances: [first] }: Reconciliation) =>
      (first?.gateway_cents ?? NaN) - (first?.ledger_cents ?? NaN)
    expect(difference(await owner.studio.callOk(getReconciliation))).toBe(99 - 10)
    // A sync of the order resolves the discrepancy.
    await owner.studio.callOk(syncOrder, { body: { id: order.id } })
    const after = await owner.studio.callOk(getReconciliation)
    expect(after.discrepancies.map(({ kind }) => kind)).not.toContain('payment')
    expect(difference(after)).toBe(99)
  })

  it('lists an unmatched payment even weeks later, but only for its own day', async () => {
    const { day } = await owner.studio.callOk(getReconciliation)
    site.advanceClock(21 * 86_400_000)
    owner = await signInOperator(site, 'owner')
    const foreignOf = async (query: { day?: string }) =>
      (await owner.studio.callOk(getReconciliation, { query })).discrepancies.filter(
        ({ kind }) => kind === 'unmatched_payment',
      )
    expect(await foreignOf({ day })).toHaveLength(1)
    expect(await foreignOf({})).toEqual([])
  })

  it('has no figure of a gateway that has not been compared since the day began', async () => {
    site.advanceClock(86_400_000)
    owner = await signInOperator(site, 'owner')
    await buyEpisode(site)
    const { balances } = await owner.studio.callOk(getReconciliation)
    expect(balances).toEqual([{ gateway: 'sandbox', currency: 'USD', ledger_cents: 99, gateway_cents: null }])
  })

  it('has a gateway’s figure after a comparison, until a later payment is added to the day', async () => {
    const one = { gateway: 'sandbox', currency: 'USD' }
    const compared = await owner.studio.callOk(runReconciliation, { body: {} })
    expect(compared.balances).toEqual([{ ...one, ledger_cents: 99, gateway_cents: 99 }])
    site.advanceClock(60_000)
    await buyEpisode(site)
    const later = await owner.studio.callOk(getReconciliation)
    expect(later.balances).toEqual([{ ...one, ledger_cents: 198, gateway_cents: null }])
    site.advanceClock(60_000)
    const again = await owner.studio.callOk(runReconciliation, { body: {} })
    expect(again.balances).toEqual([{ ...one, ledger_cents: 198, gateway_cents: 198 }])
  })

  it.each([
    ['omits an abandoned discrepancy after the amounts match again', undefined, false],
    ['lists an abandoned discrepancy while the gateway does not know the payment', async () => null, true],
  ])('%s', async (_, retrieve, isShown) => {
    const { order } = await buyEpisode(site)
    const wrong = { ...(await paymentOf(site, order.id)), refundedCents: 10 }
    site.gatewayOverrides.listPayments = async function* () {
      yield [wrong]
    }
    site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('no route'))
    await owner.studio.callOk(runReconciliation, { body: {} })
    site.gatewayOverrides.listPayments = async function* () {
      yield []
    }
    site.advanceClock(8 * 86_400_000)
    owner = await signInOperator(site, 'owner')
    const report = await owner.studio.callOk(runReconciliation, { body: {} })
    const one = { kind: 'payment', order_id: order.id, abandoned: true }
    expect(report.discrepancies).toContainEqual(expect.objectContaining(one))
    Object.assign(site.gatewayOverrides, { listPayments: undefined, retrievePayment: retrieve })
    await owner.studio.callOk(syncOrder, { body: { id: order.id } })
    site.gatewayOverrides.retrievePayment = undefined
    const after = await owner.studio.callOk(getReconciliation)
    expect(after.discrepancies.some(({ order_id }) => order_id === order.id)).toBe(isShown)
  })
})
