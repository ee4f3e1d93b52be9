import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cancelSubscription, createOrder } from '#contract/billing.ts'
import { orderNumber } from '#contract/order-number.ts'
import { deleteUser, getUser } from '#contract/members.ts'
import { loadVideoEntitlements, mergeLibrary } from '#server/features/library/library.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import type { Tx } from '#server/tables.ts'
import { readExportParts } from '#server/testing/read-export-parts.ts'
import { eraseBilling, exportBilling, mergeBilling } from '#server/features/billing/billing.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { selectActiveSubscription } from '#server/features/billing/records/renewals/subscription-queries.ts'

interface Person {
  shopper: Shopper
  id: string
}

const day = 86_400_000
let site: BillingSite
let guest: Person
let member: Person

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  guest = await createPerson()
  member = await createPerson()
})

async function createPerson(): Promise<Person> {
  const shopper = await Shopper.create(site)
  // The order creates a row for the user. A guest without a row has nothing to merge.
  await shopper.order(episode(6))
  return { shopper, id: (await shopper.visitor.callOk(getUser)).id }
}

const episode = (number: number) => ({
  kind: 'episode' as const,
  episode_id: site.video.episodes[number - 1]?.id,
})
const inTransaction = (work: (tx: Tx) => Promise<void>) => site.context.db.transaction().execute(work)
const now = () => site.context.clock.now()
const merge = () =>
  inTransaction(async (tx) => {
    await mergeLibrary(tx, guest.id, member.id)
    await mergeBilling(tx, guest.id, member.id, now())
  })
const erase = (person: Person) => inTransaction((tx) => eraseBilling(tx, person.id, now()))

async function subscribe({ shopper }: Person, days: number): Promise<void> {
  const { id: plan_id } = await shopper.plan(days)
  expect(await shopper.buy({ kind: 'plan', plan_id })).toMatchObject({ code: 200, info: { status: 'paid' } })
}

const rowsOf = (table: 'orders' | 'payment_methods' | 'subscriptions' | 'idempotency_keys', { id }: Person) =>
  site.context.db.selectFrom(table).selectAll().where('user_id', '=', id).execute()

async function canPlay({ id }: Person): Promise<boolean> {
  const rights = await loadVideoEntitlements(site.context.db, id, site.video.id, now())
  return rights.covers(site.video.episodes[4]?.id ?? '')
}

const activeSubscriptionOf = ({ id }: Person) => selectActiveSubscription(site.context.db, id, now())

test("a guest's orders, payment methods, subscription and idempotency keys are moved to the member once", async () => {
  await guest.shopper.order(episode(4), { 'idempotency-key': 'mine' })
  await subscribe(guest, 7)
  await merge()
  await merge()
  expect(await rowsOf('orders', guest)).toEqual([])
  expect(await rowsOf('orders', member)).toHaveLength(4)
  expect(await rowsOf('payment_methods', member)).toHaveLength(1)
  expect(await rowsOf('idempotency_keys', member)).toMatchObject([{ key: 'mine' }])
  expect(await activeSubscriptionOf(member)).toMatchObject({ status: 'active', period_days: 7 })
  expect(await canPlay(member)).toBe(true)
})

test('the member’s stored answer is kept if the guest used the same idempotency key', async () => {
  await guest.shopper.order(episode(4), { 'idempotency-key': 'the same' })
  const order = await member.shopper.order(episode(5), { 'idempotency-key': 'the same' })
  await merge()
  const repeated = await member.shopper.visitor.callOk(createOrder, {
    headers: { 'idempotency-key': 'the same' },
    body: { ...episode(5), gateway: 'sandbox', email: member.shopper.email },
  })
  expect(repeated.id).toBe(order.id)
  expect(await rowsOf('idempotency_keys', guest)).toEqual([])
})

test("the guest's subscription ends if the member also has a subscription, but gives access until its paid period ends", async () => {
  await subscribe(guest, 30)
  await subscribe(member, 7)
  await merge()
  const statuses = (await rowsOf('subscriptions', member)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual(['active', 'ended'])
  expect(await activeSubscriptionOf(member)).toMatchObject({ period_days: 7 })
  site.advanceClock(8 * day)
  expect(await canPlay(member)).toBe(true)
  site.advanceClock(23 * day)
  expect(await canPlay(member)).toBe(false)
})

test("a member's expired subscription does not end the guest's subscription", async () => {
  await subscribe(member, 7)
  await member.shopper.visitor.callOk(cancelSubscription)
  site.advanceClock(8 * day)
  await subscribe(guest, 30)
  await merge()
  expect(await activeSubscriptionOf(member)).toMatchObject({ status: 'active', period_days: 30 })
})

test("a guest's subscription that expired during an outage is charged once after the sign-in, and continues", async () => {
  await subscribe(guest, 7)
  site.advanceClock(30 * day)
  await merge()
  await renewDueSubscriptions(site.context)
  expect(await activeSubscriptionOf(member)).toMatchObject({ status: 'active', period_days: 7 })
  expect((await rowsOf('orders', member)).filter(({ kind }) => kind === 'plan')).toHaveLength(2)
  expect(await canPlay(member)).toBe(true)
})

test('a payment that was pending during the sign-in unlocks the episode for the member', async () => {
  const order = await guest.shopper.order(episode(5))
  const { info } = await guest.shopper.tryPay(
    order.id,
    await guest.shopper.cardToken(testCards.requires3dsOnce),
  )
  await merge()
  await guest.shopper.answerBankPage(info?.next.url ?? '', 'yes')
  site.advanceClock(60_000)
  await runJanitor(site.context)
  expect([await canPlay(guest), await canPlay(member)]).toEqual([false, true])
})

test('a purchase is not lost if its payment and the sign-in are concurrent', async () => {
  const lockUsers = (tx: Tx) =>
    tx
      .selectFrom('users')
      .select('id')
      .where('id', 'in', [guest.id, member.id])
      .orderBy('id')
      .forUpdate()
      .execute()
  const signIn = () =>
    inTransaction(async (tx) => {
      await lockUsers(tx)
      await mergeLibrary(tx, guest.id, member.id)
      await mergeBilling(tx, guest.id, member.id, now())
    })
  const order = await guest.shopper.order(episode(5))
  const token = await guest.shopper.cardToken()
  // The gateway's response arrives while the guest becomes the member.
  const answered = Promise.withResolvers<void>()
  site.gatewayOverrides.createPayment = async (charge) => {
    const payment = await site.sandboxGateway.createPayment(charge)
    answered.resolve()
    return payment
  }
  const paying = guest.shopper.tryPay(order.id, token)
  await answered.promise
  await Promise.all([paying, signIn()])
  delete site.gatewayOverrides.createPayment
  site.advanceClock(60_000)
  await runJanitor(site.context)
  expect([await canPlay(guest), await canPlay(member)]).toEqual([false, true])
})

test('deleting an account ends its subscription, removes its methods and addresses, and does not change the ledger', async () => {
  await subscribe(guest, 7)
  const ledgerLines = await site.context.db.selectFrom('ledger_lines').selectAll().orderBy('id').execute()
  const [method] = await rowsOf('payment_methods', guest)
  await erase(guest)
  await erase(guest)
  expect(await rowsOf('subscriptions', guest)).toMatchObject([{ status: 'ended', payment_method_id: null }])
  for (const { email, attribution } of await rowsOf('orders', guest)) {
    expect(email).toBe('')
    expect(attribution).not.toHaveProperty('user_agent')
  }
  const paid = (await rowsOf('orders', guest)).filter(({ status }) => status === 'paid')
  expect(paid).toMatchObject([{ amount_cents: 499 }])
  expect(await rowsOf('payment_methods', guest)).toMatchObject([{ brand: null, last4: null }])
  await runJanitor(site.context)
  expect(await rowsOf('payment_methods', guest)).toEqual([])
  const detached = site.context.db.selectFrom('sandbox_payment_methods').selectAll()
  expect(await detached.where('id', '=', method?.reference ?? '').executeTakeFirst()).toMatchObject({
    detached_at: expect.any(Date),
  })
  expect(await site.context.db.selectFrom('ledger_lines').selectAll().orderBy('id').execute()).toEqual(
    ledgerLines,
  )
})

test('deleting an account cancels the mails about its orders, and no other mails', async () => {
  const { db } = site.context
  const shared = { ...episode(5), email: `Shared-${guest.shopper.email}` }
  const purchase = await guest.shopper.buy(shared)
  await abandonMailsAbout(purchase.info?.id ?? '')
  await guest.shopper.buy({ ...shared, ...episode(4) })
  const { info } = await member.shopper.buy({ ...shared, ...episode(5) })
  await guest.shopper.visitor.callOk(deleteUser)
  const mails = await site.mails(shared.email)
  expect(mails).toHaveLength(1)
  expect(mails[0]?.text).toContain(orderNumber(info?.id ?? ''))
  const recipients = await db.selectFrom('abandoned_mails').select('recipient').execute()
  expect(recipients).not.toContainEqual({ recipient: shared.email })
})

async function abandonMailsAbout(orderId: string): Promise<void> {
  const { rowCount } = await site.context.database.pool.query(
    `WITH gone AS (DELETE FROM mails WHERE fields ->> 'order' = $1 RETURNING *)
    INSERT INTO abandoned_mails
    SELECT id, recipient, template, language, fields, attempts, expires_at, created_at, now(), true, 'MailError: 550' FROM gone`,
    [orderId],
  )
  expect(rowCount).toBe(1)
}

test('a payment method that could not be detached at its gateway is detached later', async () => {
  await subscribe(guest, 7)
  await erase(guest)
  site.gatewayOverrides.detachMethod = () => Promise.reject(new Error('away'))
  await runJanitor(site.context)
  delete site.gatewayOverrides.detachMethod
  expect(await rowsOf('payment_methods', guest)).toMatchObject([{ detach_attempts: 1 }])
  site.advanceClock(60_000)
  await runJanitor(site.context)
  expect(await rowsOf('payment_methods', guest)).toEqual([])
})

test('a payment that succeeds after its account was deleted is refunded', async () => {
  const order = await guest.shopper.order(episode(5))
  const { info } = await guest.shopper.tryPay(
    order.id,
    await guest.shopper.cardToken(testCards.requires3dsOnce),
  )
  await guest.shopper.answerBankPage(info?.next.url ?? '', 'yes')
  await erase(guest)
  await runJanitor(site.context)
  expect(await canPlay(guest)).toBe(false)
  const refunds = site.context.db
    .selectFrom('refunds')
    .innerJoin('payment_attempts', 'payment_attempts.id', 'refunds.attempt_id')
    .select(['refunds.status', 'refunds.reason'])
  expect(await refunds.where('payment_attempts.order_id', '=', order.id).execute()).toEqual([
    { status: 'succeeded', reason: 'account_deleted' },
  ])
})

test('an export contains only the user’s own orders, subscriptions and cards', async () => {
  const attribution = JSON.stringify({ referrer_token: 'spring' })
  await site.context.db.updateTable('orders').set({ attribution }).where('user_id', '=', guest.id).execute()
  await subscribe(guest, 7)
  const exported = await readExportParts(exportBilling(site.context.db, guest.id))
  expect(exported).toMatchObject({
    orders: [
      { kind: 'episode', attribution: { referrer_token: 'spring' } },
      { kind: 'plan', amount_cents: 499, email: guest.shopper.email },
    ],
    subscriptions: [{ status: 'active' }],
    payment_methods: [{ brand: 'visa', last4: '4242' }],
  })
  expect(JSON.stringify(exported)).not.toContain(member.id)
})
