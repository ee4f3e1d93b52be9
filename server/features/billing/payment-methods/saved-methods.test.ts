import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { getUser } from '#contract/members.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { eraseBilling } from '#server/features/billing/billing.ts'
import { listPaymentMethods } from '#server/features/billing/admin/find-customer.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => {
  delete site.gatewayOverrides.createPayment
  delete site.gatewayOverrides.detachMethod
})

/** Returns whether the gateway still stores each method that was saved with an order's payments. */
async function methodStatesOf(orderId: string): Promise<('attached' | 'detached')[]> {
  const rows = await site.context.db
    .selectFrom('payment_attempts')
    .innerJoin('sandbox_payments', 'sandbox_payments.id', 'payment_attempts.reference')
    .innerJoin('sandbox_payment_methods', 'sandbox_payment_methods.id', 'sandbox_payments.method_id')
    .select('detached_at')
    .where('payment_attempts.order_id', '=', orderId)
    .where('payment_attempts.status', '=', 'succeeded')
    .execute()
  return rows.map(({ detached_at }) => (detached_at ? 'detached' : 'attached'))
}
const methodsOf = (userId: string) =>
  site.context.db.selectFrom('payment_methods').select('id').where('user_id', '=', userId).execute()
const userIdOf = async ({ visitor }: Shopper) => (await visitor.callOk(getUser)).id

async function runJobsAfter(milliseconds = 60_000): Promise<void> {
  site.advanceClock(milliseconds)
  await runJanitor(site.context)
}

test('a card that already got the introductory price is detached when its second payment is refunded', async () => {
  site.gatewayOverrides.createPayment = async (charge) => {
    const payment = await site.sandboxGateway.createPayment(charge)
    return payment.method ? { ...payment, method: { ...payment.method, fingerprint: 'one card' } } : payment
  }
  const plan_id = (await (await Shopper.create(site)).plan(7)).id
  const [first, second] = [await Shopper.create(site), await Shopper.create(site)]
  const paid = await first.buy({ kind: 'plan', plan_id })
  const order = await second.order({ kind: 'plan', plan_id })
  expect(await second.tryPay(order.id, await second.cardToken())).toMatchObject({ code: 409 })
  await runJobsAfter()
  expect(await methodStatesOf(order.id)).toEqual(['detached'])
  expect(await methodStatesOf(paid.info?.id ?? '')).toEqual(['attached'])
  expect(await methodsOf(await userIdOf(second))).toEqual([])
})

test('if a plan is paid twice, the first card is kept and the second card is detached', async () => {
  const shopper = await Shopper.create(site)
  const plan_id = (await shopper.plan(30)).id
  const orders = [
    await shopper.order({ kind: 'plan', plan_id }),
    await shopper.order({ kind: 'plan', plan_id }),
  ]
  for (const { id } of orders) await shopper.tryPay(id, await shopper.cardToken(testCards.requires3dsOnce))
  for (const { id } of orders)
    await shopper.answerBankPage((await shopper.getOrder(id)).next.url ?? '', 'yes')
  for (const { id } of orders) await shopper.getOrder(id)
  await runJobsAfter()
  const states = await Promise.all(orders.map(({ id }) => methodStatesOf(id)))
  expect(states).toEqual([['attached'], ['detached']])
  expect(await methodsOf(await userIdOf(shopper))).toHaveLength(1)
})

test('a card is detached if its payment succeeds after its user was deleted', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ kind: 'plan', plan_id: (await shopper.plan(30)).id })
  const { info } = await shopper.tryPay(order.id, await shopper.cardToken(testCards.requires3dsOnce))
  await shopper.answerBankPage(info?.next.url ?? '', 'yes')
  const userId = await userIdOf(shopper)
  await site.context.db.transaction().execute((tx) => eraseBilling(tx, userId, site.context.clock.now()))
  await runJobsAfter()
  await runJobsAfter()
  expect(await methodStatesOf(order.id)).toEqual(['detached'])
  expect(await methodsOf(userId)).toEqual([])
})

test('a replaced card is detached, and the new one is charged', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day + 1000)
  const { shopper } = person
  const [first, owed] = await person.orders()
  await shopper.order({ kind: 'plan', plan_id: (await shopper.plan(7)).id })
  await shopper.tryPay(owed?.id ?? '', await shopper.cardToken())
  await runJobsAfter()
  expect([await methodStatesOf(first?.id ?? ''), await methodStatesOf(owed?.id ?? '')]).toEqual([
    ['detached'],
    ['attached'],
  ])
  await person.advanceAndRenew(7 * day + 1000)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'active', period_no: 2 })
})

test('the card of an ended plan is detached, even if the gateway fails at first', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day + 1000)
  for (const _ of [1, 2, 3]) await person.advanceAndRenew(2 * day)
  const [first] = await person.orders()
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', payment_method_id: null })
  site.gatewayOverrides.detachMethod = () => Promise.reject(new Error('away'))
  await runJobsAfter()
  expect(await methodStatesOf(first?.id ?? '')).toEqual(['attached'])
  delete site.gatewayOverrides.detachMethod
  await runJobsAfter()
  expect(await methodStatesOf(first?.id ?? '')).toEqual(['detached'])
  expect(await methodsOf(person.userId)).toEqual([])
})

test('a card of an ended plan is not listed as saved, even if the gateway never detached it', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  const listed = () => listPaymentMethods(site.context.db, person.userId)
  expect(await listed()).toMatchObject([{ last4: testCards.declinesRenewals.slice(-4) }])
  await person.advanceAndRenew(7 * day + 1000)
  for (const _ of [1, 2, 3]) await person.advanceAndRenew(2 * day)
  site.gatewayOverrides.detachMethod = () => Promise.reject(new Error('away'))
  for (let attempts = 0; attempts < 10; attempts++) await runJobsAfter(day)
  expect(await methodsOf(person.userId)).toHaveLength(1)
  expect(await listed()).toEqual([])
})
