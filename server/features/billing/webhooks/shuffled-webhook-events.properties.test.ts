import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '#contract/billing.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import {
  compareSandboxBalance,
  compareGatewayBalance,
} from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { startFakeStripe, type FakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { unappliedEvents } from '#server/testing/site/billing-site.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { FakePaypal } from '#server/features/billing/gateways/paypal/fake/fake-paypal.ts'
import { signEvent } from '#server/features/billing/gateways/sandbox/webhooks.ts'

let stripe: FakeStripe
let paypal: FakePaypal
let site: TestSite
let video: BuiltVideo
/** The payments of the sandbox that changed since their last webhook event. */
let atSandbox: string[] = []

beforeAll(async () => {
  stripe = await startFakeStripe()
  paypal = await FakePaypal.start()
  const settings = { ...stripe.env, ...paypal.settings, ALLOW_SANDBOX: '1' }
  // The sandbox sends no webhook events, because it does not know the site's address.
  site = await startTestSite({ localUrl: () => undefined }, settings)
  video = await buildVideo(site.context)
})
afterAll(async () => {
  await site.close()
  await stripe.close()
  await paypal.close()
})

interface SignedEvent {
  path: string
  signed: { body: Buffer | string; headers: Record<string, string> }
}

const deliveredIds = new Set<string>()
/** Returns the gateways' new events in their order. Each call returns only events that no earlier call returned. */
function takeNewEvents(): SignedEvent[] {
  const fresh = <T extends { id: string }>(events: readonly T[]) =>
    events.filter(({ id }) => !deliveredIds.has(id) && deliveredIds.add(id))
  return [
    ...fresh(stripe.events).map(({ id, type, object }) => ({
      path: 'stripe',
      signed: stripe.sign({ id, type, object: 'event', data: { object } }),
    })),
    ...fresh(paypal.events.toReversed()).map((event) => ({ path: 'paypal', signed: paypal.signed(event) })),
    ...atSandbox
      .splice(0)
      .map((reference) => ({ path: 'sandbox', signed: signEvent(site.context, reference) })),
  ]
}

async function deliverEvent({ path, signed }: SignedEvent): Promise<void> {
  const { body, headers } = signed
  const request = { method: 'POST', body: body.toString(), headers }
  const { status } = await fetch(`${site.url}/api/webhook/payment/${path}`, request)
  expect(status).toBe(204)
}

/** Waits until the stored webhook events have been applied, which happens after their responses. */
async function applied(): Promise<void> {
  await expect.poll(() => unappliedEvents(site)).toEqual([])
}

async function onceInOrder(): Promise<void> {
  for (let list = takeNewEvents(); list.length > 0; list = takeNewEvents())
    for (const one of list) {
      await deliverEvent(one)
      await applied()
    }
}

/**
 * Sends each event five times, in random order and eight concurrently. Then does the same with the new events that the
 * gateways have created.
 */
async function fiveTimesShuffled(): Promise<void> {
  for (let list = takeNewEvents(); list.length > 0; list = takeNewEvents()) {
    const all = list
      .flatMap((one) => Array.from({ length: 5 }, () => ({ one, rank: Math.random() })))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ one }) => one)
    const deliverInReverse = async () => {
      for (let one = all.pop(); one; one = all.pop()) await deliverEvent(one)
    }
    await Promise.all(Array.from({ length: 8 }, deliverInReverse))
    await applied()
  }
}

/** A sequence of events at a gateway. Calls `deliverEvents` after each event. @returns the order */
type Story = (shopper: Shopper, deliverEvents: () => Promise<void>) => Promise<Order>

const episode = () => ({ episode_id: video.episodes[4]?.id })
const byStripe = () => ({ ...episode(), gateway: 'stripe' as const })
const byPaypal = () => ({ ...episode(), gateway: 'paypal' as const, method: 'wallet' as const })
const paymentOf = ({ next }: Order) => next.client_secret?.split('_secret_')[0] ?? ''
const tokenOf = ({ next }: Order) => new URL(next.url ?? '').searchParams.get('token') ?? ''

async function paidByStripe(shopper: Shopper, deliverEvents: () => Promise<void>): Promise<Order> {
  const order = await shopper.order(byStripe())
  await stripe.confirm(order.next.client_secret ?? '', testCards.pays)
  await deliverEvents()
  return order
}

const refundAtStripe = (order: Order, amount: number) =>
  stripe.store.refund({ payment_intent: paymentOf(order), amount: String(amount) })

async function checkedBySandbox(
  shopper: Shopper,
  deliverEvents: () => Promise<void>,
  bankAnswer: 'yes' | 'no',
) {
  const { info: order } = await shopper.buy(episode(), testCards.requires3dsOnce)
  const url = order?.next.url ?? ''
  await shopper.answerBankPage(url, bankAnswer)
  atSandbox.push(new URL(url, site.url).searchParams.get('payment') ?? '')
  await deliverEvents()
  if (!order) throw new Error('there is no order')
  return order
}

const stories: Record<string, Story> = {
  'stripe, paid': paidByStripe,
  'stripe, declined': async (shopper, deliverEvents) => {
    const order = await shopper.order(byStripe())
    await stripe.confirm(order.next.client_secret ?? '', testCards.noFunds)
    await deliverEvents()
    return order
  },
  'stripe, 3-D Secure passed': async (shopper, deliverEvents) => {
    const order = await shopper.order(byStripe())
    await stripe.confirm(order.next.client_secret ?? '', testCards.requires3dsAlways)
    await deliverEvents()
    stripe.store.answerChallenge(paymentOf(order), 'yes')
    await deliverEvents()
    return order
  },
  'stripe, a plan': async (shopper, deliverEvents) => {
    const plan_id = (await shopper.plan(30)).id
    const order = await shopper.order({ kind: 'plan', plan_id, gateway: 'stripe' })
    await stripe.confirm(order.next.client_secret ?? '', testCards.pays)
    await deliverEvents()
    return order
  },
  'stripe, refunded in two parts': async (shopper, deliverEvents) => {
    const order = await paidByStripe(shopper, deliverEvents)
    refundAtStripe(order, 40)
    await deliverEvents()
    refundAtStripe(order, 59)
    await deliverEvents()
    return order
  },
  'stripe, disputed and won': async (shopper, deliverEvents) => {
    const order = await paidByStripe(shopper, deliverEvents)
    stripe.store.dispute(paymentOf(order), 'needs_response')
    await deliverEvents()
    stripe.store.dispute(paymentOf(order), 'won')
    await deliverEvents()
    return order
  },
  'stripe, disputed and lost': async (shopper, deliverEvents) => {
    const order = await paidByStripe(shopper, deliverEvents)
    stripe.store.dispute(paymentOf(order), 'needs_response')
    await deliverEvents()
    stripe.store.dispute(paymentOf(order), 'lost')
    await deliverEvents()
    return order
  },
  'paypal, approved': async (shopper, deliverEvents) => {
    const order = await shopper.order(byPaypal())
    paypal.orders.approve(tokenOf(order))
    await deliverEvents()
    return order
  },
  'paypal, declined': async (shopper, deliverEvents) => {
    const order = await shopper.order(byPaypal())
    paypal.orders.approve(tokenOf(order), 'declined')
    await deliverEvents()
    return order
  },
  'paypal, refunded in part': async (shopper, deliverEvents) => {
    const order = await shopper.order(byPaypal())
    paypal.orders.approve(tokenOf(order))
    await deliverEvents()
    // The user's return also queries the payment.
    await shopper.getOrder(order.id)
    const [capture] = paypal.orders.get(tokenOf(order)).captures
    paypal.orders.refund(capture?.id ?? '', { amount: { currency_code: 'USD', value: '0.40' } })
    await deliverEvents()
    return order
  },
  'sandbox, 3-D Secure passed': (shopper, deliverEvents) => checkedBySandbox(shopper, deliverEvents, 'yes'),
  'sandbox, 3-D Secure failed': (shopper, deliverEvents) => checkedBySandbox(shopper, deliverEvents, 'no'),
}

/** Returns all stored data of an order, without ids and times. */
async function stateOf({ id }: Order) {
  const { db } = site.context
  const order = await db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const attempts = await db.selectFrom('payment_attempts').selectAll().where('order_id', '=', id).execute()
  const rights = await db.selectFrom('entitlements').selectAll().where('order_id', '=', id).execute()
  const ledger = await db
    .selectFrom('ledger_lines')
    .select(['account', (eb) => eb.fn.sum<number>('amount_cents').as('cents')])
    .where('order_id', '=', id)
    .groupBy('account')
    .orderBy('account')
    .execute()
  const subscription = await db
    .selectFrom('subscriptions')
    .select(['status', 'period_no'])
    .where('id', '=', order.subscription_id ?? '')
    .execute()
  return {
    status: order.status,
    refunded: order.refunded_cents,
    attempts: attempts.map(({ status, decline_code, dispute_status }) => [
      status,
      decline_code,
      dispute_status,
    ]),
    rights: rights.map(({ revoked_at }) => revoked_at === null),
    // Omits zero sums. If an amount is taken and returned between two events, the ledger may have no lines for it.
    ledger: ledger.map(({ account, cents }) => [account, Number(cents)]).filter(([, cents]) => cents !== 0),
    subscription,
  }
}

async function statesAfter(deliver: () => Promise<void>, atEveryStep: boolean) {
  const orders: [string, Order][] = []
  for (const [name, story] of Object.entries(stories)) {
    const shopper = await Shopper.create(site)
    orders.push([name, await story(shopper, atEveryStep ? deliver : async () => {})])
  }
  await deliver()
  const states: Record<string, Awaited<ReturnType<typeof stateOf>>> = {}
  for (const [name, order] of orders) states[name] = await stateOf(order)
  return states
}

test('events that arrive five times, shuffled and concurrently, have the same result as events in order', async () => {
  const inOrder = await statesAfter(onceInOrder, true)
  expect(Object.values(inOrder).map(({ status }) => status)).toEqual([
    'paid',
    'pending',
    'paid',
    'paid',
    'refunded',
    'paid',
    'charged_back',
    'paid',
    'pending',
    'partially_refunded',
    'paid',
    'pending',
  ])
  expect(await statesAfter(fiveTimesShuffled, false)).toEqual(inOrder)
  await compareSandboxBalance(site.context.db)
  for (const gateway of site.context.gateways) {
    const { ledgerCents, gatewayCents } = await compareGatewayBalance(site.context.db, gateway)
    expect([gateway.id, ledgerCents]).toEqual([gateway.id, gatewayCents])
  }
})
