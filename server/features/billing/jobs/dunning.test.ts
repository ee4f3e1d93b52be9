import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import {
  expectLedgerBalanced,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'

const hour = 3_600_000
const day = 24 * hour
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

const time = (date: Date | null | undefined) => date?.getTime() ?? NaN

/** Makes all renewals fail with a decline. */
function declineRenewals(decline: Payment['decline']): void {
  site.gatewayOverrides.chargeSavedMethod = async (charge) => ({
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
  'a card that declines renewals is charged three times after a period of $days days ($tries ms later); then the subscription ends, and nothing is owed',
  async ({ days, tries }) => {
    if (days === 1)
      await site.context.db
        .updateTable('plans')
        .set({ period_days: 1 })
        .where('period_days', '=', 30)
        .execute()
    const person = await Subscriber.create(site, { days, card: testCards.declinesRenewals })
    const start = site.context.clock.now().getTime()
    const seen: number[] = []
    for (let step = 0; step < 100; step++) {
      await person.advanceAndRenew((days * day) / 20)
      if ((await person.subscriptionRow()).status === 'past_due') expect(await person.canPlay()).toBe(true)
    }
    for (const { startedAt } of await person.renewalAttempts()) seen.push(startedAt - start - days * day)
    expect(seen).toHaveLength(3)
    for (const [index, at] of tries.entries()) {
      expect(seen[index]).toBeGreaterThanOrEqual(at - 5000)
      expect(seen[index]).toBeLessThan(at + (days * day) / 10)
    }
    expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 0 })
    expect((await person.orders()).map(({ status }) => status)).toEqual(['paid', 'failed'])
    expect(await person.canPlay()).toBe(false)
    expect(await person.membership()).toMatchObject({ state: 'free' })
    expect(await person.mailSubjects()).toEqual([
      'We couldn’t renew your plan yet',
      'We couldn’t renew your plan yet',
      'Your plan has ended',
    ])
  },
)

test('the new period starts at the end of the old one if a retry pays the renewal', async () => {
  const person = await Subscriber.create(site)
  const { period_ends_at } = await person.subscriptionRow()
  declineRenewals('insufficient_funds')
  await person.advanceAndRenew(7 * day)
  expect(await person.membership()).toMatchObject({
    state: 'subscribed',
    status: 'past_due',
    grace_until: new Date(time(period_ends_at) + 3 * day).toISOString(),
  })
  delete site.gatewayOverrides.chargeSavedMethod
  await person.advanceAndRenew(day)
  expect(await person.subscriptionRow()).toMatchObject({
    status: 'active',
    period_no: 1,
    period_starts_at: period_ends_at,
    grace_ends_at: null,
  })
  expect((await person.renewalAttempts()).map(({ key }) => key)).toEqual([
    `renew:${person.subscriptionId}:1:1`,
    `renew:${person.subscriptionId}:1:2`,
  ])
})

test('a lost or stolen card is not charged again, and the subscription ends when its grace ends', async () => {
  const person = await Subscriber.create(site)
  declineRenewals('card_lost')
  await person.advanceAndRenew(7 * day)
  delete site.gatewayOverrides.chargeSavedMethod
  await person.advanceAndRenew(2 * day)
  expect(await person.renewalAttempts()).toHaveLength(1)
  expect((await person.subscriptionRow()).status).toBe('past_due')
  await person.advanceAndRenew(day + 1000)
  expect((await person.subscriptionRow()).status).toBe('ended')
  expect(await person.renewalAttempts()).toHaveLength(1)
  expect(await person.mailSubjects()).toEqual([
    'Your plan needs another payment method',
    'Your plan has ended',
  ])
})

test('the subscriber pays a period that requires 3-D Secure, and the card of this payment pays later renewals', async () => {
  const plan_id = (await (await Subscriber.create(site)).shopper.plan(7)).id
  const person = await Subscriber.create(site).then(async (one) => {
    declineRenewals('authentication_required')
    await one.advanceAndRenew(7 * day)
    return one
  })
  delete site.gatewayOverrides.chargeSavedMethod
  expect(await person.mailSubjects()).toEqual(['Your bank asks you to confirm a payment'])
  await person.advanceAndRenew(2 * day)
  expect(await person.renewalAttempts()).toHaveLength(1)
  const { period_ends_at, payment_method_id } = await person.subscriptionRow()
  const order = await person.shopper.order({ kind: 'plan', plan_id })
  expect(order).toMatchObject({ status: 'pending', amount_cents: 999, next: { type: 'card_form' } })
  expect((await person.orders()).map(({ id }) => id)).toContain(order.id)
  const paid = await person.shopper.tryPay(order.id, await person.shopper.cardToken())
  expect(paid).toMatchObject({ code: 200, info: { status: 'paid' } })
  const row = await person.subscriptionRow()
  expect(row).toMatchObject({ status: 'active', period_no: 1, period_starts_at: period_ends_at })
  expect(row.payment_method_id).not.toBe(payment_method_id)
  await person.advanceAndRenew(7 * day)
  expect(await person.paymentAmounts('succeeded')).toEqual([499, 999, 999])
})

test('a renewal that needs the user’s approval waits for it, and is cancelled when the grace ends', async () => {
  const person = await Subscriber.create(site)
  const payment = await site.sandboxGateway.createPayment({
    key: `saved:${person.userId}`,
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
  site.gatewayOverrides.chargeSavedMethod = async (charge) => {
    const { orderId, attemptId, amountCents } = charge
    if (charge.payer.userId !== person.userId) return site.sandboxGateway.chargeSavedMethod(charge)
    return { ...payment, orderId, attemptId, amountCents, status: 'requires_action' }
  }
  site.gatewayOverrides.cancelPayment = async () => {
    const { orderId, attemptId } = await open()
    return { ...payment, orderId, attemptId, status: 'cancelled', decline: 'cancelled' }
  }
  const open = async () => {
    const row = await site.context.db
      .selectFrom('payment_attempts')
      .select(['id', 'order_id'])
      .where('reference', '=', payment.reference)
      .executeTakeFirstOrThrow()
    return { orderId: row.order_id, attemptId: row.id }
  }
  await person.advanceAndRenew(7 * day)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'past_due', next_charge_at: null })
  await person.advanceAndRenew(2 * day)
  expect((await person.subscriptionRow()).status).toBe('past_due')
  await person.advanceAndRenew(day + 1000)
  await person.advanceAndRenew(hour)
  expect((await person.subscriptionRow()).status).toBe('ended')
  expect((await person.renewalAttempts()).map(({ status }) => status)).toEqual(['cancelled'])
})

test('a past-due plan is not retried if the user cancels it, but is retried if the user resumes it', async () => {
  const cancelled = await Subscriber.create(site, { card: testCards.declinesRenewals })
  const resumed = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await cancelled.advanceAndRenew(7 * day)
  await cancelled.shopper.visitor.callOk(cancelSubscription)
  await resumed.shopper.visitor.callOk(cancelSubscription)
  await cancelled.advanceAndRenew(hour)
  await resumed.shopper.visitor.callOk(resumeSubscription)
  await cancelled.advanceAndRenew(2 * day)
  expect(await cancelled.renewalAttempts()).toHaveLength(1)
  expect(await resumed.renewalAttempts()).toHaveLength(2)
  expect([(await cancelled.subscriptionRow()).status, await cancelled.canPlay()]).toEqual(['past_due', true])
  await cancelled.advanceAndRenew(day)
  expect([(await cancelled.subscriptionRow()).status, await cancelled.canPlay()]).toEqual(['ended', false])
  expect((await cancelled.orders()).map(({ status }) => status)).toEqual(['paid', 'cancelled'])
  expect(await cancelled.renewalAttempts()).toHaveLength(1)
})

test('the user can pay an open period only if the gateway accepts its amount', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day)
  const owed = (await person.orders()).find(({ period_no }) => period_no === 1)
  const orderParams = { kind: 'plan', plan_id: owed?.plan_id ?? '' } as const
  site.gatewayOverrides.acceptsAmount = (cents) => cents !== owed?.amount_cents
  const answer = await person.shopper.tryOrder(orderParams)
  delete site.gatewayOverrides.acceptsAmount
  expect(answer).toMatchObject({ code: 500, message: /isn’t available here/ })
  expect(await person.shopper.buy(orderParams)).toMatchObject({
    code: 200,
    info: { id: owed?.id, status: 'paid' },
  })
})

test('a renewal is not retried if its gateway refuses the amount; the user is notified, and the plan ends after its grace', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day)
  expect(await person.subscriptionRow()).toMatchObject({
    status: 'past_due',
    next_charge_at: expect.any(Date),
  })
  const tries = (await person.payments()).length
  site.gatewayOverrides.acceptsAmount = (cents) => cents !== 999
  await person.advanceAndRenew(day + hour)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'past_due', next_charge_at: null })
  expect(await person.payments()).toHaveLength(tries)
  expect((await person.mailSubjects()).at(-1)).toBe('Your plan needs another payment method')
  await person.advanceAndRenew(3 * day)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended' })
})
