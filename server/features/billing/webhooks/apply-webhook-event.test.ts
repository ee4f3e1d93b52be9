import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  episodeIdOf,
  expectLedgerBalanced,
  startBillingSite,
  paymentByKey,
  runJanitorAfter,
  unappliedEvents,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { signEvent } from '#server/features/billing/gateways/sandbox/webhooks.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

const minute = 60_000
const hour = 60 * minute
const orderParams = () => ({ episode_id: episodeIdOf(site) })

const byKey = (key: string) => paymentByKey(site, key)
const runJanitorIn = (milliseconds: number) => runJanitorAfter(site, milliseconds)

describe('a webhook event', () => {
  async function notify(reference: string) {
    const { body, headers } = signEvent(
      { secret: 'a secret of the tests', clock: site.context.clock },
      reference,
    )
    return () => site.visitor().fetch('/api/webhook/payment/sandbox', { method: 'POST', body, headers })
  }

  async function confirmed(shopper: Shopper) {
    const { info } = await shopper.buy(orderParams(), testCards.requires3dsAlways)
    await shopper.answerBankPage(info?.next.url ?? '', 'yes')
    const payment = await byKey(`pay:${info?.id}:1`)
    return { orderId: info?.id ?? '', reference: payment?.reference ?? '' }
  }
  const statusOf = (id: string) =>
    site.context.db.selectFrom('orders').select('status').where('id', '=', id).executeTakeFirst()

  test('settles its payment, and changes nothing when it is received again', async () => {
    const { orderId, reference } = await confirmed(await Shopper.create(site))
    const send = await notify(reference)
    const responses = await Promise.all([send(), send(), send()])
    expect(responses.map(({ status }) => status)).toEqual([204, 204, 204])
    await expect.poll(() => statusOf(orderId)).toEqual({ status: 'paid' })
    await expect.poll(() => unappliedEvents(site)).toEqual([])
    expect(
      await site.context.db
        .selectFrom('webhook_events')
        .select('event_id')
        .where('reference', '=', reference)
        .execute(),
    ).toHaveLength(1)
  })

  test('is applied later by the janitor if its payment could not be read at first', async () => {
    const { orderId, reference } = await confirmed(await Shopper.create(site))
    const requested = Promise.withResolvers<void>()
    site.gatewayOverrides.confirmPayment = () => {
      requested.resolve()
      return Promise.reject(new Error('the line broke'))
    }
    expect((await (await notify(reference))()).status).toBe(204)
    // The event is applied after the response to it.
    await requested.promise
    expect(await unappliedEvents(site)).toEqual([{ reference }])
    expect(await statusOf(orderId)).toEqual({ status: 'pending' })
    delete site.gatewayOverrides.confirmPayment
    await leaveToWebhookEvent(orderId)
    await runJanitorIn(15_000)
    expect(await statusOf(orderId)).toEqual({ status: 'paid' })
  })

  /** Stops the polling of an order's payment, so that only the webhook event can settle it. */
  const leaveToWebhookEvent = (orderId: string) =>
    site.context.db
      .updateTable('payment_attempts')
      .set({ next_poll_at: null })
      .where('order_id', '=', orderId)
      .execute()

  test('does not block other events if it cannot be applied, and is abandoned after the last retry', async () => {
    const { orderId, reference } = await confirmed(await Shopper.create(site))
    await leaveToWebhookEvent(orderId)
    const now = site.context.clock.now()
    const eventRow = (reference: string, at: Date) => ({
      gateway: 'sandbox' as const,
      event_id: `evt_${reference}`,
      reference,
      received_at: at,
      next_poll_at: at,
    })
    // The stuck events fill the first batch of a run.
    const stuck = Array.from({ length: 40 }, (_, index) => eventRow(`stuck_${index}`, now))
    const late = eventRow(reference, new Date(now.getTime() + 1))
    await site.context.db
      .insertInto('webhook_events')
      .values([...stuck, late])
      .execute()
    let requestCount = 0
    site.gatewayOverrides.retrievePayment = async (lookup) => {
      if (!('reference' in lookup) || !lookup.reference.startsWith('stuck'))
        return site.sandboxGateway.retrievePayment(lookup)
      requestCount++
      throw new Error('the line broke')
    }
    site.advanceClock(1000)
    await runJanitor(site.context)
    expect(await statusOf(orderId)).toEqual({ status: 'paid' })
    for (let days = 0; days < 12; days++) await runJanitorIn(25 * hour)
    const before = requestCount
    expect(before).toBeGreaterThan(40 * 5)
    for (let days = 0; days < 3; days++) await runJanitorIn(25 * hour)
    expect(requestCount).toBe(before)
    await site.context.db.deleteFrom('webhook_events').where('reference', 'like', 'stuck%').execute()
  })

  test('is accepted and ignored if it refers to an unknown payment', async () => {
    expect((await (await notify('spay_unknown'))()).status).toBe(204)
    await expect.poll(() => unappliedEvents(site)).toEqual([])
  })
})
