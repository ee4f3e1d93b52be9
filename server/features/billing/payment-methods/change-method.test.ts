import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { changePaymentMethod, type PaymentMethodChange } from '#contract/billing.ts'
import { deleteUser, exportUser } from '#contract/members.ts'
import { tryChangeMethod, membershipOf } from '#server/testing/builders/change-method.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import type { Envelope } from '#server/testing/site/visitor.ts'
import { selectAttempt } from '#server/features/billing/records/attempt-queries.ts'
import { selectMethodSetup } from '#server/features/billing/records/method-setup-queries.ts'
import type { MethodSetupRequest, MethodSetup } from '#server/features/billing/gateways/gateway.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { hasOpenPayments } from '#server/features/billing/records/gateway-customer-queries.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { settleAttempt } from '#server/features/billing/payments/settle-attempt.ts'

const day = 86_400_000
const challengedCard = { brand: 'visa', last4: '3220' }

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => {
  delete site.gatewayOverrides.methodSetups
  delete site.gatewayOverrides.acceptsAmount
})

const byCard = async (shopper: Shopper, card: string, headers?: Record<string, string>) =>
  tryChangeMethod(shopper, { gateway: 'sandbox', payment_token: await shopper.cardToken(card) }, headers)

/** Counts how many of these cards and wallets the gateway still stores. */
async function countAttached(references: (string | null | undefined)[]) {
  const known = references.filter((one) => typeof one === 'string')
  const attached = await Promise.all(known.map((one) => site.sandboxGateway.isMethodAttached(one)))
  return attached.filter(Boolean).length
}
const referenceOf = async ({ subscriptionId }: Subscriber) => {
  const row = await site.context.db
    .selectFrom('subscriptions')
    .innerJoin('payment_methods', 'payment_methods.id', 'payment_method_id')
    .select('reference')
    .where('subscriptions.id', '=', subscriptionId)
    .executeTakeFirst()
  return row?.reference
}
const savedBy = async ({ userId }: Subscriber) => {
  const rows = await site.context.db
    .selectFrom('payment_method_setups')
    .innerJoin('sandbox_method_setups', 'method_setup_id', 'payment_method_setups.id')
    .select('method_id')
    .where('user_id', '=', userId)
    .execute()
  return rows.map(({ method_id }) => method_id)
}
const statusesOf = async ({ userId }: Subscriber) => {
  const rows = site.context.db.selectFrom('payment_method_setups').select('status')
  const found = await rows.where('user_id', '=', userId).orderBy('started_at').execute()
  return found.map(({ status }) => status)
}
async function runJobsAfter(milliseconds = 60_000) {
  site.advanceClock(milliseconds)
  await runJanitor(site.context)
}

test('a saved card is shown and pays the next renewal, but is not charged now; the old card is detached', async () => {
  const subscriber = await Subscriber.create(site, { days: 7, card: testCards.declinesRenewals })
  const old = await referenceOf(subscriber)
  const before = await subscriber.payments()
  expect(await membershipOf(subscriber.shopper)).toMatchObject({ method: { brand: 'visa', last4: '0341' } })
  const answer = await byCard(subscriber.shopper, testCards.pays)
  expect(answer).toMatchObject({ code: 200, info: { status: 'saved', next: { type: 'none' } } })
  expect(await membershipOf(subscriber.shopper)).toMatchObject({
    status: 'active',
    method: { brand: 'visa', last4: '4242' },
    renews_at: expect.any(String),
  })
  expect(await subscriber.payments()).toEqual(before)
  await runJobsAfter()
  expect(await countAttached([old])).toBe(0)
  await subscriber.advanceAndRenew(7 * day)
  expect(await subscriber.membership()).toMatchObject({ status: 'active' })
  expect(await subscriber.payments('succeeded')).toHaveLength(2)
})

test("each change of card is in the user's data export, and in no other user's", async () => {
  const subscriber = await Subscriber.create(site)
  await byCard(subscriber.shopper, testCards.declined)
  await byCard(subscriber.shopper, testCards.pays)
  const other = await Subscriber.create(site)
  const setup = { subscription_id: subscriber.subscriptionId, gateway: 'sandbox', method: 'card' }
  expect(await subscriber.shopper.visitor.callOk(exportUser)).toMatchObject({
    payment_method_setups: [
      { ...setup, status: 'failed', started_at: expect.any(String) },
      { ...setup, status: 'succeeded', started_at: expect.any(String) },
    ],
  })
  expect(await other.shopper.visitor.callOk(exportUser)).toMatchObject({ payment_method_setups: [] })
})

test.each([
  [testCards.declined, /declined/],
  [testCards.noFunds, /insufficient funds/],
  [testCards.expired, /expired/],
  [testCards.badCvc, /security code/],
])('a refused card changes nothing, and the error has the reason: %s', async (card, message) => {
  const subscriber = await Subscriber.create(site)
  const old = await referenceOf(subscriber)
  expect(await byCard(subscriber.shopper, card)).toMatchObject({ code: 500, message })
  expect(await referenceOf(subscriber)).toBe(old)
  await runJobsAfter()
  expect(await countAttached([old])).toBe(1)
  expect(await byCard(subscriber.shopper, testCards.pays)).toMatchObject({ code: 200 })
})

test('a card replaces the old one only if it passes 3-D Secure', async () => {
  const subscriber = await Subscriber.create(site)
  const old = await referenceOf(subscriber)
  const { shopper } = subscriber
  const refused = await byCard(shopper, testCards.requires3dsOnce)
  expect(refused).toMatchObject({ info: { status: 'pending', next: { type: 'authenticate' } } })
  await shopper.answerBankPage(refused.info?.next.url ?? '', 'no')
  const follow = await tryChangeMethod(shopper, { setup_id: refused.info?.id ?? '' })
  expect(follow).toMatchObject({ code: 500, message: /didn’t confirm the card/ })
  expect(await referenceOf(subscriber)).toBe(old)
  const setup = await byCard(shopper, testCards.requires3dsOnce)
  await shopper.answerBankPage(setup.info?.next.url ?? '', 'yes')
  expect(await tryChangeMethod(shopper, { setup_id: setup.info?.id ?? '' })).toMatchObject({
    code: 200,
    info: { status: 'saved' },
  })
  expect(await membershipOf(shopper)).toMatchObject({ method: challengedCard })
})

test('an approved wallet replaces a card and pays the renewal, but a cancelled wallet changes nothing', async () => {
  const subscriber = await Subscriber.create(site)
  const { shopper } = subscriber
  const wallet = () => tryChangeMethod(shopper, { gateway: 'sandbox', method: 'wallet' })
  const off = await wallet()
  expect(off).toMatchObject({ info: { status: 'pending', next: { type: 'redirect' } } })
  const back = await shopper.answerBankPage(off.info?.next.url ?? '', 'no')
  expect(back.headers.get('location')).toContain(`/my?change=${off.info?.id}`)
  expect(await tryChangeMethod(shopper, { setup_id: off.info?.id ?? '' })).toMatchObject({
    code: 500,
    message: /^Cancelled/,
  })
  const on = await wallet()
  await shopper.answerBankPage(on.info?.next.url ?? '', 'yes')
  expect(await tryChangeMethod(shopper, { setup_id: on.info?.id ?? '' })).toMatchObject({
    info: { status: 'saved' },
  })
  expect(await membershipOf(shopper)).toMatchObject({ method: { brand: 'wallet', last4: null } })
  await subscriber.advanceAndRenew(7 * day)
  expect((await subscriber.orders()).at(-1)).toMatchObject({ period_no: 1, status: 'paid', method: 'wallet' })
})

test('a user can change only the payment method of their own subscription', async () => {
  const [subscriber, other] = [await Subscriber.create(site), await Subscriber.create(site)]
  const setup = await byCard(subscriber.shopper, testCards.requires3dsOnce)
  expect(await tryChangeMethod(other.shopper, { setup_id: setup.info?.id ?? '' })).toMatchObject({
    code: 404,
  })
  const guest = await Shopper.create(site)
  expect(await byCard(guest, testCards.pays)).toMatchObject({
    code: 409,
    message: /don’t have a subscription/,
  })
  const nobody = site.visitor()
  const body = { gateway: 'sandbox' as const, method: 'wallet' as const }
  expect((await nobody.call(changePaymentMethod, { body })).answer).toMatchObject({ code: 401 })
})

test('requests with the same key get the same answer, and save one card', async () => {
  const subscriber = await Subscriber.create(site)
  const headers = { 'idempotency-key': 'one press' }
  const params = {
    gateway: 'sandbox',
    payment_token: await subscriber.shopper.cardToken(testCards.requires3dsOnce),
  } as const
  const answers = await Promise.all([1, 2, 3].map(() => tryChangeMethod(subscriber.shopper, params, headers)))
  expect(new Set(answers.map(({ info }) => info?.id)).size).toBe(1)
  expect(await savedBy(subscriber)).toHaveLength(1)
  const other = await tryChangeMethod(subscriber.shopper, { ...params, method: 'wallet' }, headers)
  expect(other).toMatchObject({ code: 409 })
})

test('a body with a card number, a bad name or no gateway is refused', async () => {
  const { shopper } = await Subscriber.create(site)
  expect(await tryChangeMethod(shopper, { gateway: 'sandbox', payment_token: testCards.pays })).toMatchObject(
    {
      code: 500,
      message: /card number/,
    },
  )
  expect(
    await tryChangeMethod(shopper, { gateway: 'sandbox', payment_token: 'stok_1', first_name: ' ' }),
  ).toMatchObject({ code: 500, message: /name/ })
  expect(await tryChangeMethod(shopper, {})).toMatchObject({ code: 400 })
  expect(await tryChangeMethod(shopper, { gateway: 'sandbox' })).toMatchObject({ code: 400 })
  expect(await tryChangeMethod(shopper, { gateway: 'stripe' })).toMatchObject({
    code: 500,
    message: /isn’t available here/,
  })
})

test.each([
  ['plan', 999],
  ['planned plan', 2499],
  ['open period', 998],
])(
  'a gateway that does not accept the price of the %s is refused, and nothing is stored',
  async (what, due) => {
    const { db } = site.context
    const open = what === 'open period'
    const subscriber = await Subscriber.create(site, open ? { card: testCards.declinesRenewals } : {})
    const { shopper, userId } = subscriber
    if (open) {
      await subscriber.advanceAndRenew(7 * day)
      const owed = db.updateTable('orders').set({ amount_cents: due }).where('user_id', '=', userId)
      await owed.where('status', '=', 'pending').execute()
    }
    if (what === 'planned plan')
      await shopper.tryOrder({ kind: 'plan', plan_id: (await shopper.plan(30)).id })
    site.gatewayOverrides.acceptsAmount = (cents) => cents !== due
    const refused = await byCard(shopper, testCards.pays)
    expect(refused).toMatchObject({ code: 500, message: /isn’t available here/ })
    const written = db.selectFrom('payment_method_setups').select('id').where('user_id', '=', userId)
    expect(await written.execute()).toEqual([])
    delete site.gatewayOverrides.acceptsAmount
    expect(await byCard(shopper, testCards.pays)).toMatchObject({ info: { status: 'saved' } })
  },
)

test.each(['before the card was saved', 'after the card was saved'])(
  'a response that was lost %s leaves one card at the gateway',
  async (when) => {
    const subscriber = await Subscriber.create(site)
    const old = await referenceOf(subscriber)
    const start = async (request: MethodSetupRequest) => {
      if (when === 'after the card was saved') await site.sandboxGateway.methodSetups.start(request)
      throw new Error('the line is down')
    }
    site.gatewayOverrides.methodSetups = { ...site.sandboxGateway.methodSetups, start }
    const lost = await byCard(subscriber.shopper, testCards.pays)
    expect(lost).toMatchObject({ code: 500, message: /hasn’t answered/ })
    delete site.gatewayOverrides.methodSetups
    await runJobsAfter()
    const done = when === 'after the card was saved'
    expect((await referenceOf(subscriber)) === old).toBe(!done)
    await runJobsAfter(2 * 3_600_000)
    expect(await countAttached([old, ...(await savedBy(subscriber))])).toBe(1)
    expect(await subscriber.membership()).toMatchObject({ renews_at: expect.any(String) })
  },
)

test('a retry after a lost response cancels the first setup and immediately makes another', async () => {
  const subscriber = await Subscriber.create(site)
  const start = async (request: MethodSetupRequest) => {
    await site.sandboxGateway.methodSetups.start(request)
    throw new Error('the line is down')
  }
  site.gatewayOverrides.methodSetups = { ...site.sandboxGateway.methodSetups, start }
  expect(await byCard(subscriber.shopper, testCards.requires3dsOnce)).toMatchObject({
    message: /hasn’t answered/,
  })
  delete site.gatewayOverrides.methodSetups
  expect(await byCard(subscriber.shopper, testCards.pays)).toMatchObject({ info: { status: 'saved' } })
  expect(await statusesOf(subscriber)).toEqual(['cancelled', 'succeeded'])
})

test.each(['requires_action', 'processing'] as const)(
  'a setup with the status %s that cannot be cancelled blocks another change',
  async (status) => {
    const subscriber = await Subscriber.create(site)
    await byCard(subscriber.shopper, testCards.requires3dsOnce)
    const answerPending = (reference: string) => Promise.resolve({ reference, status })
    const retrieve = () => answerPending('ssav_stays')
    site.gatewayOverrides.methodSetups = {
      ...site.sandboxGateway.methodSetups,
      complete: answerPending,
      cancel: answerPending,
      retrieve,
    }
    for (let time = 0; time < 2; time++)
      expect(await byCard(subscriber.shopper, testCards.pays)).toMatchObject({ message: /hasn’t answered/ })
    expect(await statusesOf(subscriber)).toEqual([status])
  },
)

test('a new change cancels the waiting one, and a method that the old change saves afterwards is detached', async () => {
  const subscriber = await Subscriber.create(site)
  const { shopper } = subscriber
  const first = await byCard(shopper, testCards.requires3dsOnce)
  expect(await byCard(shopper, testCards.pays)).toMatchObject({ info: { status: 'saved' } })
  expect(await tryChangeMethod(shopper, { setup_id: first.info?.id ?? '' })).toMatchObject({
    code: 500,
    message: /^Cancelled/,
  })
  const current = await referenceOf(subscriber)
  const { db } = site.context
  await db
    .updateTable('sandbox_method_setups')
    .set({ status: 'succeeded' })
    .where('method_setup_id', '=', first.info?.id ?? '')
    .execute()
  await db
    .updateTable('payment_method_setups')
    .set({ status: 'requires_action', next_poll_at: new Date(0) })
    .where('id', '=', first.info?.id ?? '')
    .execute()
  await runJobsAfter()
  await runJobsAfter()
  expect(await referenceOf(subscriber)).toBe(current)
  expect(await countAttached(await savedBy(subscriber))).toBe(1)
})

test.each(['immediately', 'later'])(
  'a setup that succeeds %s but has no card is refused, and the old card stays',
  async (when) => {
    const subscriber = await Subscriber.create(site)
    const { shopper } = subscriber
    const [old, before] = [await referenceOf(subscriber), await subscriber.subscriptionRow()]
    const bare = async ({ reference, status }: Pick<MethodSetup, 'reference' | 'status'>) => ({
      reference,
      status,
    })
    const start = async (request: MethodSetupRequest) =>
      bare(await site.sandboxGateway.methodSetups.start(request))
    const complete = (reference: string) => bare({ reference, status: 'succeeded' })
    const setup = when === 'later' ? await byCard(shopper, testCards.requires3dsOnce) : undefined
    site.gatewayOverrides.methodSetups = { ...site.sandboxGateway.methodSetups, start, complete }
    const refused = setup
      ? await tryChangeMethod(shopper, { setup_id: setup.info?.id ?? '' })
      : await byCard(shopper, testCards.pays)
    expect(refused).toMatchObject({ code: 500, message: /couldn’t save/ })
    delete site.gatewayOverrides.methodSetups
    await runJobsAfter()
    expect(await subscriber.subscriptionRow()).toEqual(before)
    expect(await countAttached([old])).toBe(1)
  },
)

test.each(['the plan ended', 'another card was chosen'])(
  'a card that the gateway saves too late (%s) is detached, and the response says that the card could not be saved',
  async (what) => {
    const subscriber = await Subscriber.create(site)
    const { shopper } = subscriber
    const old = await referenceOf(subscriber)
    const setup = await byCard(shopper, testCards.requires3dsOnce)
    await shopper.answerBankPage(setup.info?.next.url ?? '', 'yes')
    const since = new Date(site.context.clock.now().getTime() + 1000)
    await site.context.db
      .updateTable('subscriptions')
      .set(what === 'the plan ended' ? { status: 'ended' } : { method_chosen_at: since })
      .where('id', '=', subscriber.subscriptionId)
      .execute()
    const syncSetup = () => tryChangeMethod(shopper, { setup_id: setup.info?.id ?? '' })
    for (let time = 0; time < 2; time++)
      expect(await syncSetup()).toMatchObject({ code: 500, message: /couldn’t save/ })
    expect(await referenceOf(subscriber)).toBe(what === 'the plan ended' ? undefined : old)
    await runJobsAfter()
    expect(await countAttached(await savedBy(subscriber))).toBe(0)
  },
)

test.each(['started', 'unknown', 'requires_action', 'processing'] as const)(
  'a setup with the status %s at a gateway that is not configured blocks no other setup, and is closed after ten days',
  async (status) => {
    const subscriber = await Subscriber.create(site)
    const { db } = site.context
    const unfinished = await byCard(subscriber.shopper, testCards.requires3dsOnce)
    const id = unfinished.info?.id ?? ''
    await db
      .updateTable('payment_method_setups')
      .set({ status, gateway: 'stripe' })
      .where('id', '=', id)
      .execute()
    expect(await byCard(subscriber.shopper, testCards.pays)).toMatchObject({ info: { status: 'saved' } })
    const current = await referenceOf(subscriber)
    await runJobsAfter()
    expect(await hasOpenPayments(db, subscriber.userId)).toBe(true)
    for (let days = 0; days < 10; days++) await runJobsAfter(day)
    expect(await selectMethodSetup(db, id)).toMatchObject({ status: 'cancelled', next_poll_at: null })
    expect(await hasOpenPayments(db, subscriber.userId)).toBe(false)
    expect(await referenceOf(subscriber)).toBe(current)
  },
)

test('a setup is cancelled after ten days if the user does not return, and immediately if the plan has ended', async () => {
  const [subscriber, other] = [await Subscriber.create(site), await Subscriber.create(site)]
  const [waiting, over] = [
    await byCard(subscriber.shopper, testCards.requires3dsOnce),
    await byCard(other.shopper, testCards.requires3dsOnce),
  ]
  const { db } = site.context
  const statusOf = async ({ info }: Envelope<PaymentMethodChange>) => {
    const rows = db
      .selectFrom('payment_method_setups')
      .select('status')
      .where('id', '=', info?.id ?? '')
    return (await rows.executeTakeFirst())?.status
  }
  const end = db.updateTable('subscriptions').set({ status: 'ended' })
  await end.where('id', '=', other.subscriptionId).execute()
  await runJobsAfter()
  expect([await statusOf(waiting), await statusOf(over)]).toEqual(['requires_action', 'cancelled'])
  for (let days = 0; days < 10; days++) await runJobsAfter(day)
  expect(await statusOf(waiting)).toBe('cancelled')
  await subscriber.shopper.answerBankPage(waiting.info?.next.url ?? '', 'yes')
  const lookup = { key: `method:${waiting.info?.id}`, setupId: '', startedAt: new Date() }
  expect(await site.sandboxGateway.methodSetups.retrieve(lookup)).toMatchObject({ status: 'cancelled' })
})

test('a card that is saved after its user was deleted is detached', async () => {
  const subscriber = await Subscriber.create(site)
  const waiting = await byCard(subscriber.shopper, testCards.requires3dsOnce)
  await subscriber.shopper.visitor.call(deleteUser, { body: {} })
  await subscriber.shopper.answerBankPage(waiting.info?.next.url ?? '', 'yes')
  await runJobsAfter()
  await runJobsAfter()
  expect(await countAttached(await savedBy(subscriber))).toBe(0)
})

test('a card that is saved while the plan is past due is charged at the next scheduled retry, not immediately', async () => {
  const subscriber = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await subscriber.advanceAndRenew(7 * day)
  expect(await subscriber.membership()).toMatchObject({ status: 'past_due' })
  const tried = await subscriber.payments()
  expect(await byCard(subscriber.shopper, testCards.pays)).toMatchObject({ info: { status: 'saved' } })
  await renewDueSubscriptions(site.context)
  expect(await subscriber.payments()).toHaveLength(tried.length)
  expect(await subscriber.membership()).toMatchObject({ status: 'past_due', method: { last4: '4242' } })
  await subscriber.advanceAndRenew(day + 60_000)
  expect(await subscriber.membership()).toMatchObject({ status: 'active' })
})

test('after a renewal that required 3-D Secure, a new card is charged within the grace period', async () => {
  const subscriber = await Subscriber.create(site, { card: testCards.pays })
  const setup = await byCard(subscriber.shopper, testCards.requires3dsAlways)
  await subscriber.shopper.answerBankPage(setup.info?.next.url ?? '', 'yes')
  await tryChangeMethod(subscriber.shopper, { setup_id: setup.info?.id ?? '' })
  await subscriber.advanceAndRenew(7 * day)
  expect(await subscriber.subscriptionRow()).toMatchObject({ status: 'past_due', next_charge_at: null })
  await byCard(subscriber.shopper, testCards.pays)
  await subscriber.advanceAndRenew(day + 60_000)
  expect(await subscriber.membership()).toMatchObject({ status: 'active' })
})

test('a cancelled plan stays cancelled after a change of card', async () => {
  const subscriber = await Subscriber.create(site)
  await site.context.db
    .updateTable('subscriptions')
    .set({ cancel_at_period_end: true })
    .where('id', '=', subscriber.subscriptionId)
    .execute()
  expect(await byCard(subscriber.shopper, testCards.pays)).toMatchObject({ info: { status: 'saved' } })
  expect(await subscriber.membership()).toMatchObject({ cancel_at_period_end: true, renews_at: null })
})

test('a repeated event about the first payment does not restore its card', async () => {
  const subscriber = await Subscriber.create(site)
  const [paid] = await subscriber.payments()
  await byCard(subscriber.shopper, testCards.pays)
  const chosen = await referenceOf(subscriber)
  const attempt = await selectAttempt(site.context.db, paid?.attemptId ?? '')
  if (paid && attempt) await settleAttempt(site.context, attempt, paid)
  expect(await referenceOf(subscriber)).toBe(chosen)
})

test('saving cannot be used to test stolen cards: the sixth card within an hour is refused, even after successes', async () => {
  const subscriber = await Subscriber.create(site)
  for (const card of [
    testCards.declined,
    testCards.pays,
    testCards.requires3dsOnce,
    testCards.pays,
    testCards.noFunds,
  ])
    await byCard(subscriber.shopper, card)
  expect(await byCard(subscriber.shopper, testCards.pays)).toMatchObject({ code: 429 })
  site.advanceClock(3_601_000)
  expect(await byCard(subscriber.shopper, testCards.pays)).toMatchObject({ code: 200 })
})
