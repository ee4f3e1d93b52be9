import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import { expectSound, moneySite, type MoneySite } from '#server/testing/site/money-site.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'

const hour = 3_600_000
const day = 24 * hour
let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())
afterEach(() => expectSound(site))

const time = (date: Date | null | undefined) => date?.getTime() ?? NaN

/** Makes renewals end with a decline, at the sandbox too. */
function declineRenewals(decline: Payment['decline']): void {
  site.trouble.chargeSavedMethod = async (charge) => ({
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
    const person = await Subscriber.on(site, { days, card: testCards.declinesLater })
    const start = site.context.clock.now().getTime()
    const seen: number[] = []
    for (let step = 0; step < 100; step++) {
      await person.after((days * day) / 20)
      if ((await person.row()).status === 'past_due') expect(await person.plays()).toBe(true)
    }
    for (const { startedAt } of await person.tries()) seen.push(startedAt - start - days * day)
    expect(seen).toHaveLength(3)
    for (const [index, at] of tries.entries()) {
      expect(seen[index]).toBeGreaterThanOrEqual(at - 5000)
      expect(seen[index]).toBeLessThan(at + (days * day) / 10)
    }
    expect(await person.row()).toMatchObject({ status: 'ended', period_no: 0 })
    expect((await person.orders()).map(({ status }) => status)).toEqual(['paid', 'failed'])
    expect(await person.plays()).toBe(false)
    expect(await person.membership()).toMatchObject({ state: 'free' })
    expect(await person.told()).toEqual([
      'We couldn’t renew your plan yet',
      'We couldn’t renew your plan yet',
      'Your plan has ended',
    ])
  },
)

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
  delete site.trouble.chargeSavedMethod
  await person.after(day)
  expect(await person.row()).toMatchObject({
    status: 'active',
    period_no: 1,
    period_starts_at: period_ends_at,
    grace_ends_at: null,
  })
  expect((await person.tries()).map(({ key }) => key)).toEqual([
    `renew:${person.subscriptionId}:1:1`,
    `renew:${person.subscriptionId}:1:2`,
  ])
})

test('a lost or stolen card is not tried again: the subscription ends with its grace', async () => {
  const person = await Subscriber.on(site)
  declineRenewals('card_lost')
  await person.after(7 * day)
  delete site.trouble.chargeSavedMethod
  await person.after(2 * day)
  expect(await person.tries()).toHaveLength(1)
  expect((await person.row()).status).toBe('past_due')
  await person.after(day + 1000)
  expect((await person.row()).status).toBe('ended')
  expect(await person.tries()).toHaveLength(1)
  expect(await person.told()).toEqual(['Your plan needs another payment method', 'Your plan has ended'])
})

test('where the bank wants the person, they pay the open period themselves, and are charged that way from then on', async () => {
  const plan_id = (await (await Subscriber.on(site)).shopper.plan(7)).id
  const person = await Subscriber.on(site).then(async (one) => {
    declineRenewals('check_needed')
    await one.after(7 * day)
    return one
  })
  delete site.trouble.chargeSavedMethod
  expect(await person.told()).toEqual(['Your bank asks you to confirm a payment'])
  await person.after(2 * day)
  expect(await person.tries()).toHaveLength(1)
  const { period_ends_at, payment_method_id } = await person.row()
  const order = await person.shopper.order({ kind: 'plan', plan_id })
  expect(order).toMatchObject({ status: 'pending', amount_cents: 999, next: { type: 'card_form' } })
  expect((await person.orders()).map(({ id }) => id)).toContain(order.id)
  const paid = await person.shopper.tryPay(order.id, await person.shopper.token())
  expect(paid).toMatchObject({ code: 200, info: { status: 'paid' } })
  const row = await person.row()
  expect(row).toMatchObject({ status: 'active', period_no: 1, period_starts_at: period_ends_at })
  expect(row.payment_method_id).not.toBe(payment_method_id)
  await person.after(7 * day)
  expect(await person.cents('succeeded')).toEqual([499, 999, 999])
})

test('a try during which the gateway asks for the person waits for them, and is called off with the grace', async () => {
  const person = await Subscriber.on(site)
  const kept = await site.sound.createPayment({
    key: `kept:${person.userId}`,
    orderId: 'none',
    attemptId: 'none',
    amountCents: 999,
    currency: 'USD',
    payer: { userId: person.userId, email: 'viewer@example.com' },
    purchase: '',
    method: 'wallet',
    save: false,
    returnUrl: '',
  })
  site.trouble.chargeSavedMethod = async (charge) => {
    const { orderId, attemptId, amountCents } = charge
    if (charge.payer.userId !== person.userId) return site.sound.chargeSavedMethod(charge)
    return { ...kept, orderId, attemptId, amountCents, status: 'requires_action' }
  }
  site.trouble.cancelPayment = async () => {
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
  expect((await person.tries()).map(({ status }) => status)).toEqual(['cancelled'])
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
  expect(await cancelled.tries()).toHaveLength(1)
  expect(await resumed.tries()).toHaveLength(2)
  expect([(await cancelled.row()).status, await cancelled.plays()]).toEqual(['past_due', true])
  await cancelled.after(day)
  expect([(await cancelled.row()).status, await cancelled.plays()]).toEqual(['ended', false])
  expect((await cancelled.orders()).map(({ status }) => status)).toEqual(['paid', 'cancelled'])
  expect(await cancelled.tries()).toHaveLength(1)
})

test('an open period is paid by hand only where the gateway takes its amount', async () => {
  const person = await Subscriber.on(site, { card: testCards.declinesLater })
  await person.after(7 * day)
  const owed = (await person.orders()).find(({ period_no }) => period_no === 1)
  const wish = { kind: 'plan', plan_id: owed?.plan_id ?? '' } as const
  site.trouble.takes = (cents) => cents !== owed?.amount_cents
  const answer = await person.shopper.tryOrder(wish)
  delete site.trouble.takes
  expect(answer).toMatchObject({ code: 500, message: /isn’t available here/ })
  expect(await person.shopper.buy(wish)).toMatchObject({ code: 200, info: { id: owed?.id, status: 'paid' } })
})

test('an open period whose amount its gateway takes no more is not tried again: its person is told, and it is over with the grace', async () => {
  const person = await Subscriber.on(site, { card: testCards.declinesLater })
  await person.after(7 * day)
  expect(await person.row()).toMatchObject({ status: 'past_due', try_at: expect.any(Date) })
  const tries = (await person.payments()).length
  site.trouble.takes = (cents) => cents !== 999
  await person.after(day + hour)
  expect(await person.row()).toMatchObject({ status: 'past_due', try_at: null })
  expect(await person.payments()).toHaveLength(tries)
  expect((await person.told()).at(-1)).toBe('Your plan needs another payment method')
  await person.after(3 * day)
  expect(await person.row()).toMatchObject({ status: 'ended' })
})
