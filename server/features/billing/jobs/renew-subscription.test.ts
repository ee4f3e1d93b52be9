import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Updateable } from 'kysely'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { Payment, PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import { decodePurchase } from '#server/features/billing/records/purchase-metadata.ts'
import type { PaymentMethodsTable } from '#server/features/billing/tables.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import {
  insertAttemptRow,
  insertPlan,
  insertPlanOrder,
  insertSubscription,
  type SubscriptionRows,
} from '#server/testing/builders/subscription-rows.ts'
import { renewSubscription } from './renew-subscription.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const periodEnd = new Date('2026-03-01T12:00:00Z')
const after = (milliseconds: number) => new Date(periodEnd.getTime() + milliseconds)
const graceEnd = after(3 * day)
const pastDue = { status: 'past_due', grace_ends_at: graceEnd, next_charge_at: after(day) } as const

type Charge = Parameters<PaymentGateway['chargeSavedMethod']>[0]

let site: BillingSite
const charges: Charge[] = []

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => {
  charges.length = 0
})

/** A gateway that records the charges, all of which succeed. */
function recordingGateway(change: Partial<PaymentGateway> = {}): PaymentGateway {
  return {
    ...site.sandboxGateway,
    chargeSavedMethod: async (charge) => {
      charges.push(charge)
      return paymentOf(charge)
    },
    ...change,
  }
}

const paymentOf = (charge: Omit<Charge, 'payer' | 'purchase' | 'methodReference'>): Payment => ({
  reference: `payment ${charge.key}`,
  status: 'succeeded',
  orderId: charge.orderId,
  attemptId: charge.attemptId,
  amountCents: charge.amountCents,
  refundedCents: 0,
  currency: charge.currency,
})

/** Renews a subscription at a time, with some gateways. */
function renewAt(now: Date, id: string, gateways: BillingContext['gateways'] = [recordingGateway()]) {
  return renewSubscription({ ...site.context, clock: { now: () => now }, gateways }, id)
}

const insert = (change?: Parameters<typeof insertSubscription>[2]) =>
  insertSubscription(site.context.db, periodEnd, change)

const read = ({ subscriptionId }: Pick<SubscriptionRows, 'subscriptionId'>) =>
  site.context.db
    .selectFrom('subscriptions')
    .selectAll()
    .where('id', '=', subscriptionId)
    .executeTakeFirstOrThrow()

/** Returns the orders for the second period of a subscription. */
const nextOrders = ({ subscriptionId }: SubscriptionRows): Promise<OrderRow[]> =>
  site.context.db
    .selectFrom('orders')
    .selectAll()
    .where('subscription_id', '=', subscriptionId)
    .where('period_no', '=', 1)
    .execute()

const attemptsOf = (orderId: string | undefined) =>
  site.context.db
    .selectFrom('payment_attempts')
    .selectAll()
    .where('order_id', '=', orderId ?? '')
    .orderBy('number')
    .execute()

/** Returns the templates of the mails about the second period of a subscription. */
async function mailsAbout(rows: SubscriptionRows): Promise<string[]> {
  const [order] = await nextOrders(rows)
  const mails = await site.context.db.selectFrom('mails').select(['template', 'fields']).execute()
  return mails.filter(({ fields }) => fields.order === order?.id).map(({ template }) => template)
}

const changeMethod = ({ methodId }: SubscriptionRows, change: Updateable<PaymentMethodsTable>) =>
  site.context.db.updateTable('payment_methods').set(change).where('id', '=', methodId).execute()

describe('a charge', () => {
  test('names its order, its payer, the saved method and the purchase', async () => {
    const rows = await insert()
    await changeMethod(rows, { reference: `method of ${rows.userId}` })
    await renewAt(periodEnd, rows.subscriptionId)
    const [order] = await nextOrders(rows)
    expect(order).toMatchObject({
      id: expect.stringMatching(/^ord_/),
      status: 'paid',
      gateway: 'sandbox',
      method: 'card',
      created_at: periodEnd,
      expires_at: after(30 * day),
    })
    expect(charges).toEqual([
      {
        key: `renew:${rows.subscriptionId}:1:1`,
        orderId: order?.id,
        attemptId: expect.stringMatching(/^att_/),
        amountCents: 999,
        currency: 'USD',
        payer: { userId: rows.userId, email: 'viewer@example.com' },
        methodReference: `method of ${rows.userId}`,
        purchase: expect.any(String),
      },
    ])
    expect(await attemptsOf(order?.id)).toMatchObject([
      { id: charges[0]?.attemptId, status: 'succeeded', started_at: periodEnd },
    ])
    expect(charges.map((charge) => decodePurchase(site.context, charge))).toMatchObject([
      {
        kind: 'plan',
        method: 'card',
        userId: rows.userId,
        planId: rows.planId,
        subscriptionId: rows.subscriptionId,
        periodNo: 1,
        renewal: true,
      },
    ])
  })

  test('has the current e-mail address of the account', async () => {
    const rows = await insert()
    const email = `${rows.userId}@example.com`
    await site.context.db.updateTable('users').set({ email }).where('id', '=', rows.userId).execute()
    await renewAt(periodEnd, rows.subscriptionId)
    expect(await nextOrders(rows)).toMatchObject([{ email }])
    expect(charges).toMatchObject([{ payer: { email } }])
  })

  test('whose outcome is unknown is polled after ten seconds', async () => {
    const rows = await insert()
    const gateway = recordingGateway({ chargeSavedMethod: () => Promise.reject(new Error('away')) })
    await renewAt(periodEnd, rows.subscriptionId, [gateway])
    const [order] = await nextOrders(rows)
    expect(await attemptsOf(order?.id)).toMatchObject([
      { status: 'unknown', started_at: periodEnd, next_poll_at: after(10_000) },
    ])
  })

  test.each<{ methods: PaymentGateway['methods']; last4: string | null; kind: 'card' | 'wallet' }>([
    { methods: ['card', 'wallet'], last4: '4242', kind: 'card' },
    { methods: ['card', 'wallet'], last4: null, kind: 'wallet' },
    { methods: ['wallet'], last4: '4242', kind: 'wallet' },
    { methods: ['card'], last4: null, kind: 'card' },
  ])(
    'by a gateway for $methods, to a method with the last digits $last4, is made by $kind',
    async ({ methods, last4, kind }) => {
      const rows = await insert()
      await changeMethod(rows, { last4 })
      await renewAt(periodEnd, rows.subscriptionId, [recordingGateway({ methods })])
      expect(await nextOrders(rows)).toMatchObject([{ method: kind }])
      expect(charges.map((charge) => decodePurchase(site.context, charge)?.method)).toEqual([kind])
    },
  )

  test.each([
    { gateway: 'sandbox', last4: null, kind: 'wallet' },
    { gateway: 'stripe', last4: '4242', kind: 'card' },
    { gateway: 'paypal', last4: null, kind: 'wallet' },
  ] as const)(
    'after a decline is made by the method that the user chose since: $gateway, $kind',
    async ({ gateway: id, last4, kind }) => {
      const rows = await insert(pastDue)
      const order = await insertPlanOrder(site.context.db, rows)
      await insertAttemptRow(site.context.db, order.id, { status: 'failed', started_at: periodEnd })
      await changeMethod(rows, { gateway: id, last4 })
      await renewAt(after(day), rows.subscriptionId, [recordingGateway({ id })])
      expect(await nextOrders(rows)).toMatchObject([{ id: order.id, gateway: id, method: kind }])
      expect(charges).toMatchObject([{ key: `renew:${rows.subscriptionId}:1:2`, orderId: order.id }])
      expect(await attemptsOf(order.id)).toMatchObject([{ number: 1 }, { number: 2, gateway: id }])
    },
  )

  test('pays the order of a planned change of plan, which then has the period', async () => {
    const rows = await insert()
    const planId = await insertPlan(site.context.db, { period_days: 30 })
    const values = { period_no: null, amount_cents: 2499 }
    const planned = await insertPlanOrder(site.context.db, { ...rows, planId }, values)
    await renewAt(periodEnd, rows.subscriptionId)
    expect(await nextOrders(rows)).toMatchObject([
      { id: planned.id, status: 'paid', expires_at: after(30 * day) },
    ])
    expect(charges).toMatchObject([{ orderId: planned.id, amountCents: 2499 }])
  })

  test('that the gateway does not accept is not made; the user is asked for another method', async () => {
    const rows = await insert()
    const logged = vi.spyOn(site.context.log, 'error')
    await renewAt(periodEnd, rows.subscriptionId, [recordingGateway({ acceptsAmount: () => false })])
    expect(charges).toEqual([])
    expect(await read(rows)).toMatchObject({ status: 'past_due', next_charge_at: null })
    expect(await nextOrders(rows)).toMatchObject([{ status: 'pending', amount_cents: 999 }])
    expect(await mailsAbout(rows)).toEqual(['renewalRefused'])
    expect(logged).toHaveBeenCalledExactlyOnceWith(
      { subscription: rows.subscriptionId, gateway: 'sandbox', amount_cents: 999, currency: 'USD' },
      expect.stringContaining('price'),
    )
  })
})

describe('without a charge', () => {
  afterEach(() => expect(charges).toEqual([]))

  test('an ended or deleted subscription is not changed', async () => {
    const rows = await insert({ status: 'ended' })
    const before = await read(rows)
    await renewAt(periodEnd, rows.subscriptionId)
    expect(await read(rows)).toEqual(before)
    await renewAt(periodEnd, 'sub_deleted')
  })

  test('a subscription that is not due is checked again at the end of its period', async () => {
    const rows = await insert({ next_run_at: after(-day) })
    await renewAt(after(-hour), rows.subscriptionId)
    expect(await read(rows)).toMatchObject({ status: 'active', next_run_at: periodEnd })
    expect(await nextOrders(rows)).toEqual([])
  })

  test('a cancelled subscription ends with its period', async () => {
    const rows = await insert({ cancel_at_period_end: true })
    await renewAt(periodEnd, rows.subscriptionId)
    expect(await read(rows)).toMatchObject({ status: 'ended', ended_at: periodEnd })
  })

  test('a payment that waits for the user is cancelled before the next retry', async () => {
    const rows = await insert(pastDue)
    const order = await insertPlanOrder(site.context.db, rows)
    await insertAttemptRow(site.context.db, order.id, {
      status: 'requires_action',
      reference: `waits ${rows.userId}`,
      started_at: periodEnd,
      next_poll_at: after(2 * day),
    })
    const cancelPayment = vi.fn(() => Promise.reject(new Error('away')))
    await renewAt(after(day), rows.subscriptionId, [recordingGateway({ cancelPayment })])
    expect(cancelPayment).toHaveBeenCalledExactlyOnceWith(`waits ${rows.userId}`)
    expect(await read(rows)).toMatchObject({ status: 'past_due', next_run_at: after(day + 10 * minute) })
  })

  test('a payment that is open for an hour makes the subscription past due, and the mail says that it is pending', async () => {
    const rows = await insert()
    const order = await insertPlanOrder(site.context.db, rows)
    await insertAttemptRow(site.context.db, order.id, { status: 'processing', started_at: periodEnd })
    await renewAt(after(hour), rows.subscriptionId)
    expect(await read(rows)).toMatchObject({
      status: 'past_due',
      grace_ends_at: graceEnd,
      next_run_at: after(hour + 10 * minute),
    })
    expect(await mailsAbout(rows)).toEqual(['renewalPending'])
  })

  test('a subscription whose gateway is not configured is past due, and is checked every ten minutes', async () => {
    const rows = await insert()
    const logged = vi.spyOn(site.context.log, 'error')
    await renewAt(periodEnd, rows.subscriptionId, [])
    const inTenMinutes = after(10 * minute)
    expect(await read(rows)).toMatchObject({
      status: 'past_due',
      grace_ends_at: graceEnd,
      next_charge_at: inTenMinutes,
      next_run_at: inTenMinutes,
    })
    expect(await nextOrders(rows)).toMatchObject([{ status: 'pending', gateway: 'sandbox' }])
    expect(logged).toHaveBeenCalledExactlyOnceWith(
      { subscription: rows.subscriptionId, gateway: 'sandbox' },
      expect.stringContaining('gateway that is not configured'),
    )
    await renewAt(inTenMinutes, rows.subscriptionId, [])
    expect(await read(rows)).toMatchObject({ status: 'past_due', next_run_at: after(20 * minute) })
    expect(await mailsAbout(rows)).toEqual(['renewalFailed'])
  })

  test('a subscription whose method was detached is past due without a retry, and the mail asks for another method', async () => {
    const rows = await insert({ payment_method_id: null, method_detached_at: after(-day) })
    await renewAt(periodEnd, rows.subscriptionId)
    expect(await read(rows)).toMatchObject({
      status: 'past_due',
      next_charge_at: null,
      next_run_at: graceEnd,
    })
    expect(await nextOrders(rows)).toMatchObject([{ status: 'pending', gateway: 'sandbox' }])
    expect(await mailsAbout(rows)).toEqual(['renewalRefused'])
  })

  test('a subscription without an order for its current period is refused', async () => {
    const rows = await insert()
    const orderless = { subscription_id: null, period_no: null }
    await site.context.db.updateTable('orders').set(orderless).where('id', '=', rows.orderId).execute()
    await expect(renewAt(periodEnd, rows.subscriptionId)).rejects.toThrow(/has no order for its period 0/)
  })
})
