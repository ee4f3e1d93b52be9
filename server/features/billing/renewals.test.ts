import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import { balance } from '#server/testing/books.ts'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { testCards } from '#server/testing/shopper.ts'
import { Subscriber } from '#server/testing/subscriber.ts'
import { runJanitor } from './janitor.ts'
import type { Payment } from './gateway.ts'
import { renewSubscriptions } from './renew-subscriptions.ts'

const hour = 3_600_000
const day = 24 * hour
let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())
afterEach(async () => {
  for (const name of Object.keys(site.trouble)) delete site.trouble[name as keyof typeof site.trouble]
  const { ours, theirs } = await balance(site.context.db)
  expect(ours).toBe(theirs)
})

let addresses = 0
const address = () => `reader-${++addresses}@example.com`
/** What somebody was told after the receipt of the first period. */
const subjects = async (email: string) =>
  (await site.mails(email))
    .map(({ subject }) => subject)
    .filter((subject) => !subject.startsWith('Your receipt'))
const cents = (payments: Payment[]) => payments.map(({ amountCents }) => amountCents)
const time = (date: Date | null | undefined) => date?.getTime() ?? NaN

/** Has a renewal come out like this, at the sandbox too. */
function declineRenewals(decline: Payment['decline']): void {
  site.trouble.chargeSaved = async (charge) => ({
    reference: `declined-${charge.key}`,
    status: 'failed',
    orderId: charge.orderId,
    attemptId: charge.attemptId,
    amountCents: charge.amountCents,
    refundedCents: 0,
    currency: charge.currency,
    decline,
  })
}

test('a period that ends is followed by the next: charged once, from the old end, with a receipt', async () => {
  const email = address()
  const person = await Subscriber.on(site, { email })
  const before = await person.row()
  await person.after(6 * day)
  expect(cents(await person.payments())).toEqual([499])
  await person.after(day + 5 * hour)
  expect(cents(await person.payments('succeeded'))).toEqual([499, 999])
  const after = await person.row()
  expect(after).toMatchObject({ status: 'active', period_no: 1, period_starts_at: before.period_ends_at })
  expect(time(after.period_ends_at) - time(before.period_ends_at)).toBe(7 * day)
  expect(await person.plays()).toBe(true)
  expect(await person.membership()).toMatchObject({
    status: 'active',
    renews_at: after.period_ends_at?.toISOString(),
  })
  expect((await site.mails(email)).at(-1)).toMatchObject({
    subject: 'Receipt: your plan was renewed',
    text: expect.stringContaining('$9.99'),
  })
  await renewSubscriptions(site.context)
  expect(await person.payments()).toHaveLength(2)
})

test('between the end of a period and its charge nobody is locked out', async () => {
  const person = await Subscriber.on(site)
  site.moveOn(7 * day + hour)
  expect(await person.plays()).toBe(true)
  expect(await person.membership()).toMatchObject({ state: 'subscribed', status: 'active' })
})

test('what was cancelled is charged no more and is over with its period; resumed, it is renewed', async () => {
  const cancelled = await Subscriber.on(site)
  const resumed = await Subscriber.on(site)
  await cancelled.shopper.visitor.ask(cancelSubscription)
  await resumed.shopper.visitor.ask(cancelSubscription)
  await resumed.shopper.visitor.ask(resumeSubscription)
  site.moveOn(7 * day + 1000)
  expect([await cancelled.plays(), await resumed.plays()]).toEqual([false, true])
  await renewSubscriptions(site.context)
  expect([(await cancelled.row()).status, (await resumed.row()).status]).toEqual(['ended', 'active'])
  await cancelled.after(40 * day)
  expect(await cancelled.payments()).toHaveLength(1)
  expect(await resumed.payments()).toHaveLength(3)
})

test('without a kept payment method a subscription ends with its period, and says so', async () => {
  const email = address()
  const person = await Subscriber.on(site, { email })
  await site.context.db
    .updateTable('subscriptions')
    .set({ payment_method_id: null })
    .where('id', '=', person.subscriptionId)
    .execute()
  expect(await person.membership()).toMatchObject({ renews_at: null, ends_at: expect.any(String) })
  await person.after(7 * day + 1000)
  expect((await person.row()).status).toBe('ended')
  expect(await person.plays()).toBe(false)
  expect(await subjects(email)).toEqual(['Your plan has ended'])
  expect(await person.payments()).toHaveLength(1)
})

test.each([
  { days: 7, tries: [0, day, 3 * day] },
  { days: 1, tries: [0, 4 * hour, 12 * hour] },
])(
  'a card that is declined is tried at $tries ms after a period of $days days, then it is over and nothing is owed',
  async ({ days, tries }) => {
    if (days === 1)
      await site.context.db
        .updateTable('plans')
        .set({ period_days: 1 })
        .where('period_days', '=', 30)
        .execute()
    const email = address()
    const person = await Subscriber.on(site, { days, card: testCards.declinesLater, email })
    const start = site.context.clock.now().getTime()
    const seen: number[] = []
    for (let step = 0; step < 100; step++) {
      await person.after((days * day) / 20)
      if ((await person.row()).status === 'past_due') expect(await person.plays()).toBe(true)
    }
    for (const { startedAt } of await tried(person)) seen.push(startedAt - start - days * day)
    expect(seen).toHaveLength(3)
    for (const [index, at] of tries.entries()) {
      expect(seen[index]).toBeGreaterThanOrEqual(at - 5000)
      expect(seen[index]).toBeLessThan(at + (days * day) / 10)
    }
    expect(await person.row()).toMatchObject({ status: 'ended', period_no: 0 })
    expect((await person.orders()).map(({ status }) => status)).toEqual(['paid', 'failed'])
    expect(await person.plays()).toBe(false)
    expect(await person.membership()).toMatchObject({ state: 'free' })
    expect(await subjects(email)).toEqual([
      'Your plan could not be renewed yet',
      'Your plan could not be renewed yet',
      'Your plan has ended',
    ])
  },
)

/** The tries of ours, with when they began. */
async function tried(person: Subscriber) {
  const rows = await site.context.db
    .selectFrom('attempts')
    .innerJoin('orders', 'orders.id', 'attempts.order_id')
    .select(['attempts.started_at', 'attempts.status', 'attempts.idempotency_key'])
    .where('orders.user_id', '=', person.userId)
    .where('orders.period_no', '>', 0)
    .orderBy('attempts.started_at')
    .execute()
  return rows.map((row) => ({
    key: row.idempotency_key,
    status: row.status,
    startedAt: row.started_at.getTime(),
  }))
}

test('paid at a later try, the new period runs from the old end', async () => {
  const person = await Subscriber.on(site)
  const { period_ends_at } = await person.row()
  declineRenewals('insufficient_funds')
  await person.after(7 * day)
  expect(await person.membership()).toMatchObject({
    state: 'subscribed',
    status: 'past_due',
    grace_until: new Date(time(period_ends_at) + 3 * day).toISOString(),
  })
  delete site.trouble.chargeSaved
  await person.after(day)
  expect(await person.row()).toMatchObject({
    status: 'active',
    period_no: 1,
    period_starts_at: period_ends_at,
    grace_ends_at: null,
  })
  expect((await tried(person)).map(({ key }) => key)).toEqual([
    `renew:${person.subscriptionId}:1:1`,
    `renew:${person.subscriptionId}:1:2`,
  ])
})

test('a lost or stolen card is not tried again: the subscription ends with its grace', async () => {
  const email = address()
  const person = await Subscriber.on(site, { email })
  declineRenewals('card_lost')
  await person.after(7 * day)
  delete site.trouble.chargeSaved
  await person.after(2 * day)
  expect(await tried(person)).toHaveLength(1)
  expect((await person.row()).status).toBe('past_due')
  await person.after(day + 1000)
  expect((await person.row()).status).toBe('ended')
  expect(await tried(person)).toHaveLength(1)
  expect(await subjects(email)).toEqual(['Your plan needs another payment method', 'Your plan has ended'])
})

test('where the bank wants the person, they pay the open period themselves, and are charged that way from then on', async () => {
  const email = address()
  const plan_id = (await (await Subscriber.on(site)).shopper.plan(7)).id
  const person = await Subscriber.on(site, { email }).then(async (one) => {
    declineRenewals('check_needed')
    await one.after(7 * day)
    return one
  })
  delete site.trouble.chargeSaved
  expect(await subjects(email)).toEqual(['Your bank wants you to confirm a payment'])
  await person.after(2 * day)
  expect(await tried(person)).toHaveLength(1)
  const { period_ends_at, payment_method_id } = await person.row()
  const order = await person.shopper.order({ kind: 'plan', plan_id, email })
  expect(order).toMatchObject({ status: 'pending', amount_cents: 999, next: { type: 'card_form' } })
  expect((await person.orders()).map(({ id }) => id)).toContain(order.id)
  const paid = await person.shopper.tryPay(order.id, await person.shopper.token())
  expect(paid).toMatchObject({ code: 200, info: { status: 'paid' } })
  const row = await person.row()
  expect(row).toMatchObject({ status: 'active', period_no: 1, period_starts_at: period_ends_at })
  expect(row.payment_method_id).not.toBe(payment_method_id)
  await person.after(7 * day)
  expect(cents(await person.payments('succeeded'))).toEqual([499, 999, 999])
})

test('a try during which the gateway asks for the person waits for them, and is called off with the grace', async () => {
  const person = await Subscriber.on(site)
  const kept = await site.sound.start({
    key: `kept:${person.userId}`,
    orderId: 'none',
    attemptId: 'none',
    amountCents: 999,
    currency: 'USD',
    payer: { userId: person.userId, email: 'viewer@example.com' },
    method: 'wallet',
    save: false,
    returnUrl: '',
  })
  site.trouble.chargeSaved = async (charge) => {
    const { orderId, attemptId, amountCents } = charge
    if (charge.payer.userId !== person.userId) return site.sound.chargeSaved(charge)
    return { ...kept, orderId, attemptId, amountCents, status: 'requires_action' }
  }
  site.trouble.cancel = async () => {
    const { orderId, attemptId } = await open()
    return { ...kept, orderId, attemptId, status: 'cancelled', decline: 'cancelled' }
  }
  const open = async () => {
    const row = await site.context.db
      .selectFrom('attempts')
      .select(['id', 'order_id'])
      .where('reference', '=', kept.reference)
      .executeTakeFirstOrThrow()
    return { orderId: row.order_id, attemptId: row.id }
  }
  await person.after(7 * day)
  expect(await person.row()).toMatchObject({ status: 'past_due', try_at: null })
  await person.after(2 * day)
  expect((await person.row()).status).toBe('past_due')
  await person.after(day + 1000)
  await person.after(hour)
  expect((await person.row()).status).toBe('ended')
  expect((await tried(person)).map(({ status }) => status)).toEqual(['cancelled'])
})

test('cancelled while past due there are no more tries, and it is over with the grace; resumed, the tries go on', async () => {
  const cancelled = await Subscriber.on(site, { card: testCards.declinesLater })
  const resumed = await Subscriber.on(site, { card: testCards.declinesLater })
  await cancelled.after(7 * day)
  await cancelled.shopper.visitor.ask(cancelSubscription)
  await resumed.shopper.visitor.ask(cancelSubscription)
  await cancelled.after(hour)
  await resumed.shopper.visitor.ask(resumeSubscription)
  await cancelled.after(2 * day)
  expect(await tried(cancelled)).toHaveLength(1)
  expect(await tried(resumed)).toHaveLength(2)
  expect([(await cancelled.row()).status, await cancelled.plays()]).toEqual(['past_due', true])
  await cancelled.after(day)
  expect([(await cancelled.row()).status, await cancelled.plays()]).toEqual(['ended', false])
  expect((await cancelled.orders()).map(({ status }) => status)).toEqual(['paid', 'cancelled'])
  expect(await tried(cancelled)).toHaveLength(1)
})

test('after an outage of ours that was longer than the grace one period is charged, from now', async () => {
  const person = await Subscriber.on(site)
  site.moveOn(40 * day)
  const now = site.context.clock.now().getTime()
  await renewSubscriptions(site.context)
  const row = await person.row()
  expect(row).toMatchObject({ status: 'active', period_no: 1 })
  expect(time(row.period_starts_at)).toBeGreaterThanOrEqual(now)
  expect(time(row.period_ends_at) - time(row.period_starts_at)).toBe(7 * day)
  await renewSubscriptions(site.context)
  expect(cents(await person.payments())).toEqual([499, 999])
})

test('a charge declined after such an outage has a grace of its own', async () => {
  const person = await Subscriber.on(site, { card: testCards.declinesLater })
  await person.after(40 * day)
  expect(await person.membership()).toMatchObject({ state: 'subscribed', status: 'past_due' })
  expect(await person.plays()).toBe(true)
  await person.after(day)
  await person.after(2 * day)
  await renewSubscriptions(site.context)
  expect(await tried(person)).toHaveLength(3)
  expect(await person.plays()).toBe(false)
})

/** Lets the janitor look as often as it would in so long a time. */
async function pass(person: Subscriber, milliseconds: number): Promise<void> {
  const steps = 12
  for (let step = 0; step < steps; step++) {
    await person.after(milliseconds / steps)
    await runJanitor(site.context)
  }
}

test('a gateway that is away longer than the grace, having taken the charge: it is found, and charged once', async () => {
  const person = await Subscriber.on(site)
  site.trouble.chargeSaved = async (charge) => {
    await site.sound.chargeSaved(charge)
    throw new Error('the line broke')
  }
  site.trouble.retrieve = () => Promise.reject(new Error('away'))
  await person.after(7 * day)
  await pass(person, 4 * day)
  expect((await person.row()).period_no).toBe(0)
  expect(await person.membership()).toMatchObject({ state: 'free' })
  delete site.trouble.retrieve
  delete site.trouble.chargeSaved
  const now = site.context.clock.now().getTime()
  await pass(person, 2 * day)
  const row = await person.row()
  expect(row).toMatchObject({ status: 'active', period_no: 1 })
  expect(time(row.period_starts_at)).toBeGreaterThan(now)
  expect(cents(await person.payments('succeeded'))).toEqual([499, 999])
})

test('a gateway that is away longer than the grace, having taken nothing: one charge when it is back, from now', async () => {
  const person = await Subscriber.on(site)
  site.trouble.chargeSaved = () => Promise.reject(new Error('away'))
  site.trouble.retrieve = () => Promise.reject(new Error('away'))
  await person.after(7 * day)
  await pass(person, 4 * day)
  delete site.trouble.retrieve
  delete site.trouble.chargeSaved
  await pass(person, 2 * day)
  expect(await person.row()).toMatchObject({ status: 'active', period_no: 1 })
  expect(cents(await person.payments('succeeded'))).toEqual([499, 999])
  expect((await tried(person)).map(({ status }) => status)).toEqual(['failed', 'succeeded'])
})

test('money that comes after the end is honoured with a period from now, which is not renewed', async () => {
  const email = address()
  const person = await Subscriber.on(site, { email })
  site.trouble.chargeSaved = async (charge) => {
    const payment = await site.sound.chargeSaved(charge)
    if (charge.payer.userId !== person.userId) return payment
    throw new Error('the line broke')
  }
  site.trouble.retrieve = () => Promise.reject(new Error('away'))
  await person.after(7 * day)
  await pass(person, 30 * day)
  expect((await person.row()).status).toBe('ended')
  expect((await person.orders()).map(({ status }) => status)).toEqual(['paid', 'failed'])
  delete site.trouble.retrieve
  delete site.trouble.chargeSaved
  const orderId = (await person.orders()).at(-1)?.id ?? ''
  expect(await person.shopper.look(orderId)).toMatchObject({ status: 'paid' })
  expect(await person.plays()).toBe(true)
  expect(await person.membership()).toMatchObject({
    state: 'subscribed',
    renews_at: null,
    cancel_at_period_end: true,
  })
  expect((await subjects(email)).at(-1)).toBe('Receipt: your plan was renewed')
  await person.after(8 * day)
  expect(await person.membership()).toMatchObject({ state: 'free' })
  expect(cents(await person.payments('succeeded'))).toEqual([499, 999])
})

test('where its gateway is not set up a renewal waits, and is made when it is', async () => {
  const person = await Subscriber.on(site)
  const away = { ...site.context, gateways: [] }
  site.moveOn(7 * day + 1000)
  await renewSubscriptions(away)
  expect(await person.row()).toMatchObject({ status: 'active', period_no: 0 })
  await person.after(hour)
  expect(await person.row()).toMatchObject({ status: 'active', period_no: 1 })
})

test('an open period is paid by hand only where the gateway takes its amount, whatever the plan that is named costs', async () => {
  const person = await Subscriber.on(site, { card: testCards.declinesLater })
  await person.after(7 * day)
  const owed = (await person.orders()).find(({ period_no }) => period_no === 1)
  site.trouble.takes = (cents) => cents !== owed?.amount_cents
  const wish = { kind: 'plan', plan_id: (await person.shopper.plan(365)).id } as const
  const answer = await person.shopper.tryOrder(wish)
  delete site.trouble.takes
  expect(answer).toMatchObject({ code: 500, message: /not offered/ })
  expect(await person.shopper.buy(wish)).toMatchObject({ code: 200, info: { id: owed?.id, status: 'paid' } })
})
