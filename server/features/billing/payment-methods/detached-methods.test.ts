import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { getUser } from '#contract/members.ts'
import { startGatewaySite, type GatewaySite } from '#server/testing/site/gateway-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'

const day = 86_400_000
let gateways: GatewaySite
let stripe: GatewaySite['stripe']
let paypal: GatewaySite['paypal']
let site: GatewaySite['site']

beforeAll(async () => {
  gateways = await startGatewaySite()
  ;({ stripe, paypal, site } = gateways)
})
afterAll(() => gateways.close())
beforeEach(() => gateways.connectWebhooks())

type GatewayName = 'stripe' | 'paypal'

/** Creates a subscriber of a 30-day plan with a card or wallet. @returns also the gateway's id of the saved method */
async function subscriber(gateway: GatewayName) {
  const shopper = await Shopper.create(site)
  const plan_id = (await shopper.plan(30)).id
  const order = await shopper.order({
    gateway,
    method: gateway === 'stripe' ? 'card' : 'wallet',
    kind: 'plan',
    plan_id,
  })
  await pay(gateway, order.next)
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  const { reference } = await site.context.db
    .selectFrom('payment_methods')
    .innerJoin('subscriptions', 'payment_method_id', 'payment_methods.id')
    .innerJoin('orders', 'orders.subscription_id', 'subscriptions.id')
    .select('reference')
    .where('orders.id', '=', order.id)
    .executeTakeFirstOrThrow()
  return {
    shopper,
    plan_id,
    name: reference.split('/').at(-1) ?? '',
    membership: async () => (await shopper.visitor.callOk(getUser)).membership,
  }
}

async function pay(gateway: GatewayName, next: { url?: string; client_secret?: string }) {
  if (gateway === 'stripe') return stripe.confirm(next.client_secret ?? '', testCards.pays)
  return paypal.orders.approve(new URL(next.url ?? '').searchParams.get('token') ?? '')
}

/** Removes the card or wallet at the gateway, as its owner can do. The gateway sends an event. */
const takeAway: Record<GatewayName, (name: string) => void> = {
  stripe: (name) => void stripe.store.detach(name),
  paypal: (name) => paypal.orders.removeWallet(name),
}
/** Counts the attempts to charge a method. */
const charges = (name: string) =>
  stripe.requests.filter(({ params }) => params['payment_method'] === name).length +
  paypal.requests.filter(({ text }) => text.includes(`"vault_id":"${name}"`)).length

test.each(['stripe', 'paypal'] as const)(
  'a method that was detached at %s is not charged; the membership shows it, and the user can pay with another method',
  async (gateway) => {
    const { shopper, plan_id, name, membership } = await subscriber(gateway)
    takeAway[gateway](name)
    await expect.poll(membership).toMatchObject({
      status: 'active',
      renews_at: null,
      ends_at: expect.any(String),
      method_detached: true,
    })
    await gateways.advanceAndRunJobs(30 * day + 60_000)
    expect(await membership()).toMatchObject({
      status: 'past_due',
      method_detached: true,
      owed: { id: plan_id },
      grace_until: expect.any(String),
    })
    await gateways.advanceAndRunJobs(2 * day)
    expect(charges(name)).toBe(0)
    expect((await site.mails(shopper.email)).at(-1)?.subject).toMatch(/could not be|pay/i)
    const open = await shopper.order({ gateway: 'stripe', kind: 'plan', plan_id })
    await pay('stripe', open.next)
    expect(await shopper.getOrder(open.id)).toMatchObject({ status: 'paid' })
    const renewed = await membership()
    expect(renewed).toMatchObject({ status: 'active', renews_at: expect.any(String), gateway: 'stripe' })
    expect(renewed).not.toHaveProperty('method_detached')
    await gateways.advanceAndRunJobs(30 * day)
    expect(await membership()).toMatchObject({ status: 'active' })
  },
)

test('a plan whose method was detached ends after its grace period if it is not paid', async () => {
  const { name, membership } = await subscriber('stripe')
  takeAway.stripe(name)
  await expect.poll(membership).toMatchObject({ method_detached: true })
  await gateways.advanceAndRunJobs(30 * day + 60_000)
  await gateways.advanceAndRunJobs(3 * day)
  expect(await membership()).toMatchObject({ state: 'free' })
})

test('a webhook event about a detached method is ignored if the gateway still has the method', async () => {
  const { name, membership } = await subscriber('stripe')
  const sign = (id: string) =>
    stripe.sign({
      id,
      type: 'payment_method.detached',
      data: { object: { id: name, object: 'payment_method' } },
    })
  const { body, headers } = sign('evt_untrue')
  const path = '/api/webhook/payment/stripe'
  await site.visitor().fetch(path, { method: 'POST', body: body.toString(), headers })
  const applied = () =>
    site.context.db
      .selectFrom('webhook_events')
      .select('applied_at')
      .where('event_id', '=', 'evt_untrue')
      .execute()
  await expect.poll(applied).toEqual([{ applied_at: expect.any(Date) }])
  expect(await membership()).toMatchObject({ renews_at: expect.any(String) })
})

test('a gateway that does not answer about a method is queried again', async () => {
  const { name, membership } = await subscriber('paypal')
  paypal.fault = { on: /^GET .*payment-tokens/, with: ['500 before'] }
  takeAway.paypal(name)
  await paypal.flushEvents()
  expect(await membership()).toMatchObject({ renews_at: expect.any(String) })
  paypal.recover()
  await gateways.advanceAndRunJobs(60_000)
  expect(await membership()).toMatchObject({ method_detached: true })
})
