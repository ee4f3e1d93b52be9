import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { compareSandboxBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

const day = 86_400_000
let site: BillingSite
let plan_id: string

beforeAll(async () => {
  site = await startBillingSite()
  plan_id = (await (await Shopper.create(site)).plan(7)).id
})
afterAll(() => site.close())
afterEach(async () => {
  delete site.gatewayOverrides.createPayment
  const { ledgerCents, gatewayCents } = await compareSandboxBalance(site.context.db)
  expect(ledgerCents).toBe(gatewayCents)
})

let addresses = 0
const address = () => `reader-${++addresses}@example.com`

/** Makes the gateway report a fingerprint of the card, as real gateways do. */
function setFingerprint(fingerprint: string): void {
  site.gatewayOverrides.createPayment = async (charge) => {
    const payment = await site.sandboxGateway.createPayment(charge)
    return payment.method ? { ...payment, method: { ...payment.method, fingerprint } } : payment
  }
}

test('an introductory price applies only to the first period', async () => {
  const person = await Subscriber.create(site, { email: address() })
  await person.advanceAndRenew(8 * day)
  expect((await person.payments()).map(({ amountCents }) => amountCents)).toEqual([499, 999])
})

test('an e-mail address gets an introductory price once, in any letter case and for any user', async () => {
  await Subscriber.create(site, { email: 'Ada@Example.com' })
  const other = await Shopper.create(site)
  expect(await other.order({ kind: 'plan', plan_id, email: 'ada@example.com' })).toMatchObject({
    amount_cents: 999,
  })
})

test('an unpaid order does not use up the introductory price', async () => {
  const email = address()
  await (await Shopper.create(site)).order({ kind: 'plan', plan_id, email })
  expect(await (await Shopper.create(site)).order({ kind: 'plan', plan_id, email })).toMatchObject({
    amount_cents: 499,
  })
})

test('the second of two payments at an introductory price with the same e-mail address is refunded', async () => {
  const email = address()
  const [one, two] = [await Shopper.create(site), await Shopper.create(site)]
  const orders = [
    await one.order({ kind: 'plan', plan_id, email }),
    await two.order({ kind: 'plan', plan_id, email }),
  ]
  const paid = await Promise.all([
    one.tryPay(orders[0]?.id ?? '', await one.cardToken()),
    two.tryPay(orders[1]?.id ?? '', await two.cardToken()),
  ])
  expect(paid.map(({ code }) => code).toSorted()).toEqual([200, 409])
  const refused = paid.find(({ code }) => code === 409)
  expect(refused?.message).toMatch(/^The introductory price/)
})

test('a second payment with one card at an introductory price is refunded, and the next order has the regular price', async () => {
  setFingerprint('the same card')
  await Subscriber.create(site, { email: address() })
  const email = address()
  const other = await Shopper.create(site)
  const order = await other.order({ kind: 'plan', plan_id, email })
  expect(order.amount_cents).toBe(499)
  expect(await other.tryPay(order.id, await other.cardToken())).toMatchObject({ code: 409 })
  expect(await other.getOrder(order.id)).toMatchObject({ status: 'cancelled' })
  const [payment] = (await listAllPayments(site.sandboxGateway)).filter(({ orderId }) => orderId === order.id)
  expect(payment).toMatchObject({ status: 'succeeded', refundedCents: 499 })
  const again = await other.order({ kind: 'plan', plan_id, email })
  expect(again.amount_cents).toBe(999)
  expect(await other.tryPay(again.id, await other.cardToken())).toMatchObject({ code: 200 })
})

test('an order whose price differs from the shown one is refused, and the actual price is returned', async () => {
  const email = address()
  await Subscriber.create(site, { email })
  const other = await Shopper.create(site)
  expect(await other.tryOrder({ kind: 'plan', plan_id, email, amount_cents: 499 })).toMatchObject({
    code: 409,
    info: { amount_cents: 999, currency: 'USD' },
  })
  expect(await other.tryOrder({ kind: 'plan', plan_id, email, amount_cents: 999 })).toMatchObject({
    code: 200,
    info: { amount_cents: 999 },
  })
  const episode = { episode_id: site.video.episodes[3]?.id, amount_cents: 1 }
  expect(await other.tryOrder(episode)).toMatchObject({ code: 409, info: { amount_cents: 99 } })
})
