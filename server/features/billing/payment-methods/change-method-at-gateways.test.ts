import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PaymentMethodChange } from '#contract/billing.ts'
import { deleteUser } from '#contract/members.ts'
import { tryChangeMethod, membershipOf } from '#server/testing/builders/change-method.ts'
import { startGatewaySite, type GatewaySite } from '#server/testing/site/gateway-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import type { Envelope } from '#server/testing/site/visitor.ts'

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
beforeEach(() => {
  gateways.connectWebhooks()
  paypal.recover()
})

async function subscriber(): Promise<Shopper> {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({
    gateway: 'stripe',
    kind: 'plan',
    plan_id: (await shopper.plan(30)).id,
  })
  await stripe.confirm(order.next.client_secret ?? '', testCards.pays)
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  return shopper
}
const byCard = (shopper: Shopper) => tryChangeMethod(shopper, { gateway: 'stripe' })
const byWallet = (shopper: Shopper) => tryChangeMethod(shopper, { gateway: 'paypal', method: 'wallet' })
const sessionOf = ({ info }: Envelope<PaymentMethodChange>) =>
  new URL(info?.next.url ?? '').searchParams.get('approval_session_id') ?? ''

test('a card that the browser sends to Stripe pays the next renewal, and the old card is detached', async () => {
  const shopper = await subscriber()
  const methodId = stripe.store.attachedMethodIds.at(-1)
  const setup = await byCard(shopper)
  expect(setup).toMatchObject({ info: { status: 'pending', next: { type: 'card_form' } } })
  stripe.webhookUrl = undefined
  await stripe.confirm(setup.info?.next.client_secret ?? '', '5555555555554444')
  expect(await tryChangeMethod(shopper, { setup_id: setup.info?.id ?? '' })).toMatchObject({
    info: { status: 'saved' },
  })
  expect(await membershipOf(shopper)).toMatchObject({ method: { brand: 'mastercard', last4: '4444' } })
  await gateways.advanceAndRunJobs(60_000)
  expect(stripe.store.attachedMethodIds).not.toContain(methodId)
  const method = stripe.store.attachedMethodIds.at(-1)
  await gateways.advanceAndRunJobs(30 * day)
  const renewals = stripe.requests.filter(({ params: sent }) => sent['off_session'] === 'true')
  const charged = renewals.map(({ params: sent }) => sent['payment_method'])
  expect(charged).toContain(method)
  expect(charged).not.toContain(methodId)
  expect(await membershipOf(shopper)).toMatchObject({ status: 'active' })
})

test('a declined card is refused with the reason, its setup accepts no other card, and a retry starts a new setup', async () => {
  const shopper = await subscriber()
  const setup = await byCard(shopper)
  const secret = setup.info?.next.client_secret ?? ''
  await stripe.confirm(secret, testCards.declined)
  expect(await tryChangeMethod(shopper, { setup_id: setup.info?.id ?? '' })).toMatchObject({
    code: 500,
    message: /declined/,
  })
  expect(await stripe.confirm(secret, testCards.pays)).toBe(400)
  const again = await byCard(shopper)
  expect(again.info?.next.client_secret).not.toBe(secret)
  expect(again.info?.next.client_secret).toEqual(expect.any(String))
})

test('an e-mail address that Stripe refuses is named as the field to correct, as at checkout', async () => {
  const shopper = await Shopper.create(site)
  const plan_id = (await shopper.plan(30)).id
  const email = 'm\u00fcller@example.com'
  const order = await shopper.order({ gateway: 'paypal', method: 'wallet', kind: 'plan', plan_id, email })
  paypal.orders.approve(new URL(order.next.url ?? '').searchParams.get('token') ?? '')
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  expect(await byCard(shopper)).toMatchObject({ code: 500, info: { field: 'email' }, message: /e-mail/ })
})

test("Stripe's webhook event completes a change whose subscriber does not return", async () => {
  const shopper = await subscriber()
  const setup = await byCard(shopper)
  const [id = ''] = (setup.info?.next.client_secret ?? '').split('_secret_')
  await stripe.confirm(setup.info?.next.client_secret ?? '', testCards.requires3dsAlways)
  stripe.setups.answerChallenge(id, 'yes')
  await expect.poll(() => membershipOf(shopper)).toMatchObject({ method: { last4: '3184' } })
})

test('the setup of a declined card is cancelled at Stripe, even if only the webhook event reports the decline', async () => {
  const shopper = await subscriber()
  const secret = (await byCard(shopper)).info?.next.client_secret ?? ''
  const [id = ''] = secret.split('_secret_')
  await stripe.confirm(secret, testCards.declined)
  await expect.poll(() => stripe.setups.get(id).status).toBe('canceled')
})

test.each(['dropped after', 'time-out', '500 after'] as const)(
  'a setup whose response was lost (%s) is found at Stripe and cancelled',
  async (fault) => {
    const shopper = await subscriber()
    const end = stripe.fail(fault)
    const known = stripe.setups.all.size
    const starting = byCard(shopper)
    await expect.poll(() => stripe.setups.all.size).toBe(known + 1)
    // The response to a timed-out request may arrive only after the fault ends.
    if (fault !== 'time-out') await starting
    for (const wait of [60_000, 2 * 3_600_000, ...Array.from({ length: 8 }, () => day)])
      await gateways.advanceAndRunJobs(wait)
    end()
    await starting
    const open = [...stripe.setups.all.values()].filter(
      ({ status }) => status !== 'succeeded' && status !== 'canceled',
    )
    expect(open).toEqual([])
  },
)

test('a wallet that is approved at PayPal is saved once for concurrent returns, and pays the next renewal', async () => {
  const shopper = await subscriber()
  const before = paypal.orders.vault.size
  const changing = await byWallet(shopper)
  const setup = sessionOf(changing)
  expect(changing).toMatchObject({ info: { status: 'pending', next: { type: 'redirect' } } })
  paypal.setups.approve(setup)
  const path = `/api/webhook/payment/paypal-return?change=${changing.info?.id}&approval_token_id=${setup}`
  const back = await Promise.all([1, 2].map(() => site.visitor().fetch(path, { redirect: 'manual' })))
  for (const { status, headers } of back)
    expect([status, headers.get('location')]).toEqual([303, `/my?change=${changing.info?.id}`])
  expect(await tryChangeMethod(shopper, { setup_id: changing.info?.id ?? '' })).toMatchObject({
    info: { status: 'saved' },
  })
  expect(await membershipOf(shopper)).toMatchObject({
    gateway: 'paypal',
    method: { brand: 'paypal', last4: null },
  })
  const { vaultId } = paypal.setups.get(setup)
  expect(paypal.orders.vault.size).toBe(before + 1)
  await gateways.advanceAndRunJobs(30 * day)
  expect(await membershipOf(shopper)).toMatchObject({ status: 'active' })
  const orders = paypal.requests.filter(({ path: to }) => to === '/v2/checkout/orders')
  expect(orders.map(({ text }) => text)).toContainEqual(expect.stringContaining(vaultId ?? 'no vault id'))
})

test('a wallet that was cancelled at PayPal changes nothing, and an unknown change redirects to the account page', async () => {
  const shopper = await subscriber()
  const setup = await byWallet(shopper)
  const cancel = (id: string) =>
    site.visitor().fetch(`/api/webhook/payment/paypal-cancel?change=${id}`, { redirect: 'manual' })
  expect((await cancel(setup.info?.id ?? '')).headers.get('location')).toBe(`/my?change=${setup.info?.id}`)
  expect(await tryChangeMethod(shopper, { setup_id: setup.info?.id ?? '' })).toMatchObject({
    code: 500,
    message: /^Cancelled/,
  })
  expect((await cancel('pmc_none')).headers.get('location')).toBe('/my')
  expect(await membershipOf(shopper)).toMatchObject({ gateway: 'stripe' })
})

test('an approved wallet is saved once after a lost response, and is detached if the user was deleted', async () => {
  const [unconfirmed, late] = [await subscriber(), await subscriber()]
  const before = new Set(paypal.orders.vault.keys())
  const setup = await byWallet(unconfirmed)
  paypal.setups.approve(sessionOf(setup))
  paypal.fault = { on: /^POST .*payment-tokens$/, with: ['500 after'] }
  expect(await tryChangeMethod(unconfirmed, { setup_id: setup.info?.id ?? '' })).toMatchObject({
    info: { status: 'pending' },
  })
  paypal.recover()
  await gateways.advanceAndRunJobs(60_000)
  expect(await membershipOf(unconfirmed)).toMatchObject({ gateway: 'paypal' })
  const other = await byWallet(late)
  paypal.setups.approve(sessionOf(other))
  await late.visitor.call(deleteUser, { body: {} })
  await gateways.advanceAndRunJobs(60_000)
  await gateways.advanceAndRunJobs(60_000)
  const addedIds = [...paypal.orders.vault.keys()].filter((id) => !before.has(id))
  expect(addedIds).toEqual([paypal.setups.get(sessionOf(setup)).vaultId])
})

test('a plan whose card was detached at the gateway renews again after a change of card', async () => {
  const shopper = await subscriber()
  stripe.store.detach(stripe.store.attachedMethodIds.at(-1) ?? '')
  await expect.poll(() => membershipOf(shopper)).toMatchObject({ method_detached: true, renews_at: null })
  const setup = await byCard(shopper)
  await stripe.confirm(setup.info?.next.client_secret ?? '', testCards.pays)
  await tryChangeMethod(shopper, { setup_id: setup.info?.id ?? '' })
  const mended = await membershipOf(shopper)
  expect(mended).toMatchObject({ renews_at: expect.any(String), method: { last4: '4242' } })
  expect(mended).not.toHaveProperty('method_detached')
  await gateways.advanceAndRunJobs(30 * day)
  expect(await membershipOf(shopper)).toMatchObject({ status: 'active' })
})
