import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createOrder, unlockEpisode } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { compareSandboxBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(async () => {
  const { ledgerCents, gatewayCents } = await compareSandboxBalance(site.context.db)
  expect(ledgerCents).toBe(gatewayCents)
})

const episode = (number = 4) => site.video.episodes[number - 1]?.id ?? ''
const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

async function attemptsOf(orderId: string) {
  return site.context.db
    .selectFrom('payment_attempts')
    .select('status')
    .where('order_id', '=', orderId)
    .execute()
}

async function chargedFor(orderIds: string[]): Promise<number> {
  const payments = await listAllPayments(site.sandboxGateway)
  const own = payments.filter(({ orderId, status }) => orderIds.includes(orderId) && status === 'succeeded')
  return own.reduce((sum, { amountCents, refundedCents }) => sum + amountCents - refundedCents, 0)
}

test('50 concurrent presses of "Pay" charge once, and all get the paid order', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: episode() })
  const token = await shopper.cardToken()
  const answers = await times(50, () => shopper.tryPay(order.id, token))
  expect(new Set(answers.map(({ code, info }) => `${code} ${info?.status}`))).toEqual(new Set(['200 paid']))
  expect(await attemptsOf(order.id)).toEqual([{ status: 'succeeded' }])
  expect(await chargedFor([order.id])).toBe(99)
})

test('50 concurrent presses with different tokens charge once', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: episode() })
  const tokens = await times(50, () => shopper.cardToken())
  const answers = await times(50, (index) => shopper.tryPay(order.id, tokens[index]))
  expect(answers.every(({ code }) => code === 200)).toBe(true)
  expect(await chargedFor([order.id])).toBe(99)
})

test('50 concurrent requests with one key get the same answer, and create one order and one attempt', async () => {
  const shopper = await Shopper.create(site)
  const orders = await times(50, () =>
    shopper.tryOrder({ episode_id: episode() }, { 'idempotency-key': 'order once' }),
  )
  const [first] = orders
  expect(orders.every((answer) => JSON.stringify(answer) === JSON.stringify(first))).toBe(true)
  const id = first?.info?.id ?? ''
  const token = await shopper.cardToken(testCards.declined)
  const pays = await times(50, () => shopper.tryPay(id, token, { 'idempotency-key': 'pay once' }))
  expect(new Set(pays.map(({ code, message }) => `${code} ${message}`)).size).toBe(1)
  expect(pays[0]).toMatchObject({ code: 500, message: /declined/ })
  expect(await attemptsOf(id)).toEqual([{ status: 'failed' }])
  expect(await site.context.db.selectFrom('orders').select('id').where('id', '=', id).execute()).toHaveLength(
    1,
  )
})

test('a key returns the same response despite different ad click ids, and is refused for another body or call', async () => {
  const shopper = await Shopper.create(site)
  const headers = { 'idempotency-key': 'one key' }
  const body = {
    kind: 'episode' as const,
    episode_id: episode(),
    gateway: 'sandbox' as const,
    email: 'viewer@example.com',
  }
  const ask = (more: object) =>
    shopper.visitor.call(createOrder, { body: { ...body, ...more }, headers }).then(({ answer }) => answer)
  const first = await ask({})
  expect(await ask({ fbclid: 'another click' })).toEqual(first)
  expect(await ask({ email: 'other@example.com' })).toMatchObject({ code: 409 })
  expect(
    (await shopper.visitor.call(unlockEpisode, { body: { episode_id: episode() }, headers })).answer,
  ).toMatchObject({ code: 409 })
  const other = await Shopper.create(site)
  const theirs = await other.order({ episode_id: episode() }, headers)
  expect(theirs.id).not.toBe(first.info && 'id' in first.info ? first.info.id : '')
})

test('if an unlock request and an order request use one key concurrently, one is answered and one is refused', async () => {
  const shopper = await Shopper.create(site)
  const headers = { 'idempotency-key': 'shared' }
  const answers = await Promise.all([
    shopper.visitor
      .call(unlockEpisode, { body: { episode_id: episode() }, headers })
      .then(({ answer }) => answer.code),
    shopper.tryOrder({ episode_id: episode() }, headers).then(({ code }) => code),
  ])
  expect([
    [402, 409],
    [409, 200],
  ]).toContainEqual(answers)
})

test('one of two concurrent payments for the same episode is refunded automatically', async () => {
  const shopper = await Shopper.create(site)
  const orders = await times(2, () => shopper.order({ episode_id: episode() }))
  const tokens = await times(2, () => shopper.cardToken())
  const bothAsked = Promise.withResolvers<void>()
  let callCount = 0
  site.gatewayOverrides.createPayment = async (charge) => {
    if (++callCount === 2) bothAsked.resolve()
    await bothAsked.promise
    return site.sandboxGateway.createPayment(charge)
  }
  const answers = await times(2, (index) => shopper.tryPay(orders[index]?.id ?? '', tokens[index]))
  delete site.gatewayOverrides.createPayment
  expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 409])
  const ids = orders.map(({ id }) => id)
  expect(await chargedFor(ids)).toBe(99)
  const rows = await site.context.db
    .selectFrom('entitlements')
    .select('id')
    .where('order_id', 'in', ids)
    .execute()
  expect(rows).toHaveLength(1)
})

test('one of two concurrent payments for different plans is refunded automatically, and one subscription is active', async () => {
  const shopper = await Shopper.create(site)
  const plans = [await shopper.plan(7), await shopper.plan(30)]
  const orders = await times(2, (index) => shopper.order({ kind: 'plan', plan_id: plans[index]?.id }))
  const tokens = await times(2, () => shopper.cardToken())
  const answers = await times(2, (index) => shopper.tryPay(orders[index]?.id ?? '', tokens[index]))
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
  const { id } = await shopper.visitor.callOk(getUser)
  const live = await site.context.db
    .selectFrom('subscriptions')
    .select('id')
    .where('user_id', '=', id)
    .where('status', '=', 'active')
    .execute()
  expect(live).toHaveLength(1)
  const paid = answers.find(({ code }) => code === 200)?.info?.amount_cents
  expect(await chargedFor(orders.map((order) => order.id))).toBe(paid)
})

test('a payment that passed 3-D Secure is settled once by concurrent reads, presses and the janitor', async () => {
  const shopper = await Shopper.create(site)
  const { info } = await shopper.buy({ episode_id: episode() }, testCards.requires3dsAlways)
  const id = info?.id ?? ''
  await site.context.db
    .updateTable('payment_attempts')
    .set({ next_poll_at: new Date(0) })
    .where('order_id', '=', id)
    .execute()
  await shopper.answerBankPage(info?.next.url ?? '', 'yes')
  await Promise.all([
    times(20, () => shopper.getOrder(id)),
    times(5, () => runJanitor(site.context)),
    times(5, () => shopper.tryPay(id, undefined)),
  ])
  expect(await shopper.getOrder(id)).toMatchObject({ status: 'paid' })
  const { db } = site.context
  expect(await db.selectFrom('entitlements').select('id').where('order_id', '=', id).execute()).toHaveLength(
    1,
  )
  expect(
    await db
      .selectFrom('ledger_lines')
      .select(['account', 'amount_cents'])
      .where('order_id', '=', id)
      .orderBy('id')
      .execute(),
  ).toEqual([
    { account: 'gateway:sandbox', amount_cents: 99 },
    { account: 'sales:episode', amount_cents: -99 },
  ])
})

test('an order that is settled while it is read is returned as paid, not as waiting for a card', async () => {
  const shopper = await Shopper.create(site)
  const { info } = await shopper.buy({ episode_id: episode() }, testCards.requires3dsOnce)
  const id = info?.id ?? ''
  const { db } = site.context
  const settling = await db.startTransaction().execute()
  await sql`LOCK TABLE payment_attempts IN ACCESS EXCLUSIVE MODE`.execute(settling)
  await settling
    .updateTable('payment_attempts')
    .set({ status: 'succeeded' })
    .where('order_id', '=', id)
    .execute()
  await settling
    .updateTable('orders')
    .set({ status: 'paid', paid_at: new Date() })
    .where('id', '=', id)
    .execute()
  // A look-up waits at most half a second for a lock, so the transaction is complete except for its commit.
  const looked = shopper.getOrder(id)
  await waitForLock(site.context.database.pool)
  await settling.commit().execute()
  expect(await looked).toMatchObject({ status: 'paid', next: { type: 'none' } })
})
