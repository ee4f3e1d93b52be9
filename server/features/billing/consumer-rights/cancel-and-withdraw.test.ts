import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { orderNumber } from '#contract/order-number.ts'
import { cancelSubscription, getOrders } from '#contract/billing.ts'
import { cancelByLink, claimPurchase, withdraw } from '#contract/consumer-rights.ts'
import { getEpisode } from '#contract/media.ts'
import { exportUser, getUser } from '#contract/members.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { insertPaidOrder } from '#server/testing/builders/order-rows.ts'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { retryWithdrawalRefunds } from './withdraw.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => {
  delete site.gatewayOverrides.refundPayment
})

const episode = () => ({ kind: 'episode' as const, episode_id: site.video.episodes[4]?.id ?? '' })
const canPlay = async ({ visitor }: Shopper) =>
  (await visitor.call(getEpisode, { query: { episode_id: site.video.episodes[4]?.id ?? '' } })).answer
    .code === 200

/** Returns the secrets of one purpose that were mailed to an address, latest last. */
async function secretsOf(email: string, purpose: 'cancel' | 'withdraw' | 'claim'): Promise<string[]> {
  const mails = await site.mails(email)
  return mails.flatMap(({ text }) => new RegExp(`#${purpose}=([\\w-]+)`).exec(text)?.[1] ?? [])
}
const last = async (...args: Parameters<typeof secretsOf>) => (await secretsOf(...args)).at(-1) ?? ''
const subjects = async (email: string) => (await site.mails(email)).map(({ subject }) => subject)
/** Cancels as a client without a session. */
const cancel = async (body: { secret?: string; email?: string; order_id?: string }) =>
  (await site.visitor().call(cancelByLink, { body })).answer
const callWithdraw = async (body: { secret?: string; email?: string; order_id?: string }) =>
  (await site.visitor().call(withdraw, { body })).answer

describe('the cancellation link of a receipt', () => {
  it('works without a sign-in: it ends the renewals and sends a mail', async () => {
    const person = await Subscriber.create(site)
    const { email } = person.shopper
    const { renews_at } = await person.membership()
    const secret = await last(email, 'cancel')
    expect(await cancel({ secret })).toMatchObject({
      code: 200,
      info: { done: true, plan: 'Weekly', ends_at: renews_at },
    })
    expect(await person.membership()).toMatchObject({ cancel_at_period_end: true, ends_at: renews_at })
    expect(await person.canPlay()).toBe(true)
    expect((await subjects(email)).at(-1)).toBe('Your plan is cancelled')
    await person.advanceAndRenew(8 * day)
    expect(await person.payments()).toHaveLength(1)
  })

  it('returns the same result when it is used again, and sends one mail', async () => {
    const person = await Subscriber.create(site)
    const { email } = person.shopper
    const secret = await last(email, 'cancel')
    const answers = await Promise.all([1, 2, 3, 4].map(() => cancel({ secret })))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect((await subjects(email)).filter((subject) => subject === 'Your plan is cancelled')).toHaveLength(1)
  })

  it('works from any receipt of the plan, and after the guest has become a member', async () => {
    const person = await Subscriber.create(site)
    const { email } = person.shopper
    const first = await last(email, 'cancel')
    await person.advanceAndRenew(7 * day)
    await site.visitor().callOk(claimPurchase, { body: { secret: await last(email, 'claim') } })
    expect(await cancel({ secret: first })).toMatchObject({ code: 200, info: { done: true } })
    expect(await person.subscriptionRow()).toMatchObject({ cancel_at_period_end: true })
  })

  it('is refused if the plan has ended, or if the secret is unknown or has another purpose', async () => {
    const person = await Subscriber.create(site)
    const { email } = person.shopper
    const secret = await last(email, 'cancel')
    expect(await cancel({ secret: await last(email, 'claim') })).toMatchObject({ code: 500 })
    expect(await cancel({ secret: 'nothing' })).toMatchObject({ code: 500 })
    await person.shopper.visitor.callOk(cancelSubscription)
    await person.advanceAndRenew(8 * day)
    await person.shopper.buy({ kind: 'plan', plan_id: (await person.shopper.plan(30)).id })
    expect(await cancel({ secret })).toMatchObject({ code: 500 })
    expect(await person.membership()).toMatchObject({ cancel_at_period_end: false })
  })
})

describe('a user who requests a cancellation by e-mail address', () => {
  it('is mailed a link that works for one day', async () => {
    const person = await Subscriber.create(site)
    const { email } = person.shopper
    expect(await cancel({ email: email.toUpperCase() })).toEqual({ code: 200, info: { done: false } })
    // The mail is sent to the stored address, not to the typed one.
    expect((await subjects(email)).at(-1)).toBe('Cancel your plan')
    const secret = await last(email, 'cancel')
    expect(await person.membership()).toMatchObject({ cancel_at_period_end: false })
    site.advanceClock(day + 1000)
    expect(await cancel({ secret })).toMatchObject({ code: 500 })
    await cancel({ email })
    expect(await cancel({ secret: await last(email, 'cancel') })).toMatchObject({ code: 200 })
    expect(await person.membership()).toMatchObject({ cancel_at_period_end: true })
  })

  it('gets a mail that the plan is already cancelled', async () => {
    const person = await Subscriber.create(site)
    await person.shopper.visitor.callOk(cancelSubscription)
    await cancel({ email: person.shopper.email })
    expect((await subjects(person.shopper.email)).slice(-2)).toEqual([
      'Your plan is cancelled',
      'Your plan is cancelled',
    ])
  })

  it('gets the same response and rate limit whether the address is known or not', async () => {
    const person = await Subscriber.create(site)
    for (const email of [person.shopper.email, 'nobody@example.com'])
      for (const ask of [cancel, callWithdraw]) {
        for (let times = 0; times < 3; times++)
          expect(await ask({ email })).toEqual({ code: 200, info: { done: false } })
        expect(await ask({ email })).toMatchObject({ code: 429 })
        expect(await ask({ email: email.replace('i', 'İ') })).toMatchObject({ code: 429 })
      }
    expect(await subjects('nobody@example.com')).toEqual([])
    expect(await cancel({ email: 'no address' })).toMatchObject({ code: 500, info: { field: 'email' } })
    expect(await cancel({})).toMatchObject({ code: 400 })
  })

  it('gets no mail at the address of an account until that address is verified', async () => {
    const person = await Subscriber.create(site)
    const own = `own-${person.userId.slice(4, 12)}@example.com`
    const { db } = site.context
    await db.updateTable('users').set({ email: own }).where('id', '=', person.userId).execute()
    await cancel({ email: own })
    expect(await subjects(own)).toEqual([])
    const proven = { email_verified_at: new Date() }
    await db.updateTable('users').set(proven).where('id', '=', person.userId).execute()
    await cancel({ email: own })
    expect(await subjects(own)).toEqual(['Cancel your plan'])
  })
})

describe('a withdrawal', () => {
  it('is requested by e-mail address, confirmed with the mailed link, and refunds the whole amount', async () => {
    const shopper = await Shopper.create(site)
    const { info: order } = await shopper.buy(episode())
    await callWithdraw({ email: shopper.email, order_id: ` ${order?.id} ` })
    const secret = await last(shopper.email, 'withdraw')
    expect(await canPlay(shopper)).toBe(true)
    expect(await callWithdraw({ secret })).toMatchObject({
      code: 200,
      info: { done: true, amount_cents: 99, currency: 'USD' },
    })
    expect(await shopper.getOrder(order?.id ?? '')).toMatchObject({ status: 'refunded', refunded_cents: 99 })
    expect(await canPlay(shopper)).toBe(false)
    const mail = (await site.mails(shopper.email)).find(({ subject }) => /order is cancelled/.test(subject))
    expect(mail?.text).toContain(`order ${orderNumber(order?.id ?? '')}`)
    expect(mail?.text).toContain('We’re refunding $0.99')
  })

  it("is in the user's data export, with the refunded amount and the reason", async () => {
    const shopper = await Shopper.create(site)
    const { info: order } = await shopper.buy(episode())
    await callWithdraw({ email: shopper.email, order_id: order?.id ?? '' })
    await callWithdraw({ secret: await last(shopper.email, 'withdraw') })
    const refund = { amount_cents: 99, currency: 'USD', reason: 'withdrawal', status: 'succeeded' }
    expect(await shopper.visitor.callOk(exportUser)).toMatchObject({
      orders: [{ id: order?.id, withdrawn_at: expect.any(String) }],
      refunds: [{ ...refund, order_id: order?.id, created_at: expect.any(String) }],
    })
  })

  it('ends the plan, and refunds every paid period', async () => {
    const person = await Subscriber.create(site)
    const { email } = person.shopper
    await person.advanceAndRenew(8 * day)
    await callWithdraw({ email })
    expect(await secretsOf(email, 'withdraw')).toHaveLength(1)
    expect(await callWithdraw({ secret: await last(email, 'withdraw') })).toMatchObject({
      info: { amount_cents: 499 + 999 },
    })
    expect((await person.orders()).map(({ status }) => status)).toEqual(['refunded', 'refunded'])
    expect(await person.membership()).toMatchObject({ state: 'free' })
    expect(await person.canPlay()).toBe(false)
    await person.advanceAndRenew(30 * day)
    expect(await person.payments('succeeded')).toHaveLength(2)
  })

  it('also refunds a pending renewal whose payment is found later', async () => {
    const person = await Subscriber.create(site)
    const { email } = person.shopper
    site.gatewayOverrides.chargeSavedMethod = async (charge) => {
      await site.sandboxGateway.chargeSavedMethod(charge)
      throw new Error('the line broke')
    }
    await person.advanceAndRenew(7 * day)
    delete site.gatewayOverrides.chargeSavedMethod
    await callWithdraw({ email })
    await callWithdraw({ secret: await last(email, 'withdraw') })
    await reconcile(site.context)
    const payments = await person.payments('succeeded')
    expect(payments.map(({ amountCents, refundedCents }) => amountCents - refundedCents)).toEqual([0, 0])
    expect(await person.membership()).toMatchObject({ state: 'free' })
    expect(await person.canPlay()).toBe(false)
  })

  it('is executed once for concurrent and repeated confirmations', async () => {
    const shopper = await Shopper.create(site)
    await shopper.buy(episode())
    await callWithdraw({ email: shopper.email })
    const secret = await last(shopper.email, 'withdraw')
    const answers = await Promise.all([1, 2, 3, 4].map(() => callWithdraw({ secret })))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await callWithdraw({ secret })).toEqual(answers[0])
    const { db } = site.context
    const orders = await shopper.visitor.callOk(getOrders)
    const [order] = 'list' in orders ? orders.list : []
    const attempts = db
      .selectFrom('payment_attempts')
      .select('id')
      .where('order_id', '=', order?.id ?? '')
    const refunds = await db.selectFrom('refunds').selectAll().where('attempt_id', 'in', attempts).execute()
    expect(refunds).toMatchObject([{ amount_cents: 99, status: 'succeeded' }])
    const mails = (await subjects(shopper.email)).filter((subject) => /Your order is cancelled/.test(subject))
    expect(mails).toHaveLength(1)
  })

  it('is completed if the process died before the refund', async () => {
    const shopper = await Shopper.create(site)
    const { info: order } = await shopper.buy(episode())
    await callWithdraw({ email: shopper.email })
    await site.context.db
      .updateTable('orders')
      .set({ withdrawn_at: new Date(), next_withdrawal_refund_at: new Date() })
      .where('id', '=', order?.id ?? '')
      .execute()
    await Promise.all([retryWithdrawalRefunds(site.context), retryWithdrawalRefunds(site.context)])
    expect(await shopper.getOrder(order?.id ?? '')).toMatchObject({ status: 'refunded', refunded_cents: 99 })
  })

  it('does not block other withdrawals if the gateway refuses its refund, and is abandoned after the last retry', async () => {
    const { db, clock } = site.context
    const stuck = await Shopper.create(site)
    await stuck.buy(episode())
    const refundsOf = async ({ visitor }: Shopper) => {
      const orders = await visitor.callOk(getOrders)
      const ids = 'list' in orders ? orders.list.map(({ id }) => id) : []
      const joined = db
        .selectFrom('refunds')
        .innerJoin('payment_attempts', 'payment_attempts.id', 'attempt_id')
      return joined.select('refunds.id').where('order_id', 'in', ids).execute()
    }
    site.gatewayOverrides.refundPayment = () => Promise.reject(new GatewayRefused('never'))
    await callWithdraw({ email: stuck.email })
    await callWithdraw({ secret: await last(stuck.email, 'withdraw') })
    const { id: userId } = await stuck.visitor.callOk(getUser)
    await db.transaction().execute(async (tx) => {
      const early = new Date(clock.now().getTime() - day)
      for (let order = 0; order < 20; order++) {
        const id = await insertPaidOrder(tx, userId, early)
        const withdrawn = { withdrawn_at: early, next_withdrawal_refund_at: early }
        await tx.updateTable('orders').set(withdrawn).where('id', '=', id).execute()
      }
    })
    site.advanceClock(60_000)
    const before = (await refundsOf(stuck)).length
    await retryWithdrawalRefunds(site.context)
    await retryWithdrawalRefunds(site.context)
    expect((await refundsOf(stuck)).length).toBe(before + 1)
    for (let days = 0; days < 24; days++) {
      site.advanceClock(day)
      await retryWithdrawalRefunds(site.context)
    }
    const tries = (await refundsOf(stuck)).length
    expect(tries).toBeLessThanOrEqual(12)
    for (let days = 0; days < 3; days++) {
      site.advanceClock(day)
      await retryWithdrawalRefunds(site.context)
    }
    expect((await refundsOf(stuck)).length).toBe(tries)
  })

  it('is refused after 14 days, for a renewal, and after a request for immediate delivery', async () => {
    const [late, atOnce] = [await Shopper.create(site), await Shopper.create(site)]
    await late.buy(episode())
    await atOnce.buy({ ...episode(), consent: { terms_text: 'At once', immediate_delivery: true } })
    const person = await Subscriber.create(site)
    await person.advanceAndRenew(7 * day)
    const renewal = (await person.orders())[1]?.id ?? ''
    await callWithdraw({ email: atOnce.email })
    await callWithdraw({ email: person.shopper.email, order_id: renewal })
    site.advanceClock(7 * day + 1000)
    await callWithdraw({ email: late.email })
    for (const { email } of [late, atOnce, person.shopper]) {
      expect(await secretsOf(email, 'withdraw')).toEqual([])
      expect((await subjects(email)).at(-1)).toBe('This order can no longer be cancelled')
    }
  })

  it('can be confirmed within a day if it was requested on the last day', async () => {
    const shopper = await Shopper.create(site)
    await shopper.buy(episode())
    site.advanceClock(14 * day - 60_000)
    await callWithdraw({ email: shopper.email })
    const secret = await last(shopper.email, 'withdraw')
    site.advanceClock(day - 60_000)
    expect(await callWithdraw({ secret })).toMatchObject({ code: 200 })
    const other = await Shopper.create(site)
    await other.buy(episode())
    await callWithdraw({ email: other.email })
    const spent = await last(other.email, 'withdraw')
    site.advanceClock(day + 60_000)
    expect(await callWithdraw({ secret: spent })).toMatchObject({ code: 500 })
    expect(await callWithdraw({ secret: 'nothing' })).toMatchObject({ code: 500 })
  })

  it('does not reveal whether an order of another user exists', async () => {
    const [shopper, other] = [await Shopper.create(site), await Shopper.create(site)]
    const { info: order } = await shopper.buy(episode())
    await other.visitor.callOk(getUser)
    expect(await callWithdraw({ email: other.email, order_id: order?.id ?? '' })).toEqual({
      code: 200,
      info: { done: false },
    })
    expect(await subjects(other.email)).toEqual([])
    expect(await secretsOf(shopper.email, 'withdraw')).toEqual([])
  })
})
