import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { getUser } from '#contract/members.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import {
  attemptsOf,
  episodeIdOf,
  expectLedgerBalanced,
  startBillingSite,
  paymentByKey,
  runJanitorAfter,
  unappliedEvents,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { takeDueAttempts } from '#server/features/billing/records/attempt-queries.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { runJanitor } from './janitor.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

const minute = 60_000
const hour = 60 * minute
const orderParams = () => ({ episode_id: episodeIdOf(site) })

const attempts = (orderId: string) => attemptsOf(site, orderId)
const byKey = (key: string) => paymentByKey(site, key)
const runJanitorIn = (milliseconds: number) => runJanitorAfter(site, milliseconds)

describe('an order that is not paid within 24 hours', () => {
  test('is closed and cannot be paid', async () => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order(orderParams())
    site.advanceClock(24 * hour + 1000)
    expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({
      code: 409,
      message: /closed/,
    })
    await runJanitor(site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'expired', next: { type: 'none' } })
    expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({ code: 409 })
  })

  test('has its pending 3-D Secure challenge cancelled', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy(orderParams(), testCards.requires3dsAlways)
    await runJanitorIn(25 * hour)
    expect(await attempts(info?.id ?? '')).toMatchObject([{ status: 'cancelled' }])
    await shopper.answerBankPage(info?.next.url ?? '', 'yes')
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'expired' })
  })

  test('becomes paid if the gateway reports that its payment succeeded', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy(orderParams(), testCards.requires3dsAlways)
    await shopper.answerBankPage(info?.next.url ?? '', 'yes')
    await runJanitorIn(25 * hour)
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'paid' })
  })

  test('is refunded if its payment succeeded and the user already owns the episode', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy(orderParams(), testCards.requires3dsAlways)
    await shopper.buy(orderParams())
    await shopper.answerBankPage(info?.next.url ?? '', 'yes')
    await runJanitorIn(25 * hour)
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'expired' })
    expect(await byKey(`pay:${info?.id}:1`)).toMatchObject({
      status: 'succeeded',
      refundedCents: 99,
    })
  })
})

describe('a payment that waits for 3-D Secure and that the gateway no longer has', () => {
  /** Starts a payment that waits for 3-D Secure, and deletes it at the gateway. */
  async function lostPayment() {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy(orderParams(), testCards.requires3dsAlways)
    const order_id = info?.id ?? ''
    expect(await attempts(order_id)).toMatchObject([{ status: 'requires_action' }])
    await site.context.db
      .deleteFrom('sandbox_payments')
      .where('idempotency_key', '=', `pay:${order_id}:1`)
      .execute()
    return { shopper, order_id }
  }
  const notReceived = [{ status: 'failed', decline_code: 'not_received' }]

  test('counts as never received after an hour', async () => {
    const { order_id } = await lostPayment()
    await runJanitorIn(6 * minute)
    expect(await attempts(order_id)).toMatchObject([{ status: 'requires_action' }])
    await runJanitorIn(2 * hour)
    expect(await attempts(order_id)).toMatchObject(notReceived)
  })

  test('counts as never received as soon as the user pays in another way', async () => {
    const { shopper, order_id } = await lostPayment()
    expect(await shopper.tryPay(order_id, await shopper.cardToken())).toMatchObject({
      info: { status: 'paid' },
    })
    expect(await attempts(order_id)).toMatchObject([...notReceived, { status: 'succeeded' }])
  })
})

test('a payment is polled once more if the process died during its last poll', async () => {
  const shopper = await Shopper.create(site)
  const { info } = await shopper.buy(orderParams(), testCards.requires3dsAlways)
  const orderId = info?.id ?? ''
  const { db, clock } = site.context
  const open = db.updateTable('payment_attempts').set({ poll_count: 9, next_poll_at: new Date(0) })
  await open.where('order_id', '=', orderId).execute()
  const now = clock.now()
  const due = { now, limit: 20, next: (polls: number) => nextPoll(polls, now) }
  const claimed = await inTransaction(db, (tx) => takeDueAttempts(tx, due))
  expect(claimed).toContainEqual(expect.objectContaining({ order_id: orderId }))
  await runJanitorIn(16 * minute)
  const rows = await db
    .selectFrom('payment_attempts')
    .select(['status', 'next_poll_at'])
    .where('order_id', '=', orderId)
    .execute()
  expect(rows).toEqual([{ status: 'cancelled', next_poll_at: null }])
})

test('a refund whose response is lost is sent again, and is made once', async () => {
  const shopper = await Shopper.create(site)
  const { info } = await shopper.buy(orderParams(), testCards.requires3dsAlways)
  await shopper.buy(orderParams())
  await shopper.answerBankPage(info?.next.url ?? '', 'yes')
  site.gatewayOverrides.refundPayment = async (refund) => {
    await site.sandboxGateway.refundPayment(refund)
    throw new Error('the line broke')
  }
  await shopper.getOrder(info?.id ?? '')
  delete site.gatewayOverrides.refundPayment
  const waiting = await site.context.db
    .selectFrom('refunds')
    .select('status')
    .where('status', '=', 'started')
    .execute()
  expect(waiting).toHaveLength(1)
  await runJanitorIn(minute)
  expect(
    await site.context.db.selectFrom('refunds').select('status').where('status', '<>', 'succeeded').execute(),
  ).toEqual([])
  expect(await byKey(`pay:${info?.id}:1`)).toMatchObject({ refundedCents: 99 })
})

test('a refund that never succeeds is reported only after the last retry', async () => {
  const shopper = await Shopper.create(site)
  const { info } = await shopper.buy(orderParams(), testCards.requires3dsAlways)
  await shopper.buy(orderParams())
  await shopper.answerBankPage(info?.next.url ?? '', 'yes')
  site.gatewayOverrides.refundPayment = () => Promise.reject(new Error('the line broke'))
  await shopper.getOrder(info?.id ?? '')
  const reported = vi.spyOn(site.context.log, 'error')
  const reports = () =>
    reported.mock.calls.filter(([, message]) => String(message).includes('after the last retry')).length
  for (let tries = 1; tries < 10; tries++) await runJanitorIn(25 * hour)
  expect(reports()).toBe(0)
  await runJanitorIn(25 * hour)
  expect(reports()).toBe(1)
  reported.mockRestore()
  // There are no further retries.
  await runJanitorIn(25 * hour)
  expect(
    await site.context.db
      .selectFrom('refunds')
      .select('next_poll_at')
      .where('status', '=', 'started')
      .execute(),
  ).toEqual([{ next_poll_at: null }])
  delete site.gatewayOverrides.refundPayment
  await site.context.db
    .updateTable('refunds')
    .set({ next_poll_at: new Date(0) })
    .where('status', '=', 'started')
    .execute()
  await runJanitor(site.context)
})

describe('a subscription that waits for its first payment', () => {
  test('expires after 23 hours', async () => {
    const shopper = await Shopper.create(site)
    await shopper.order({ kind: 'plan', plan_id: (await shopper.plan(30)).id })
    const { id } = await shopper.visitor.callOk(getUser)
    const statuses = () =>
      site.context.db.selectFrom('subscriptions').select('status').where('user_id', '=', id).execute()
    await runJanitorIn(22 * hour)
    expect(await statuses()).toEqual([{ status: 'incomplete' }])
    await runJanitorIn(hour + minute)
    expect(await statuses()).toEqual([{ status: 'expired' }])
  })

  test('is replaced by another subscription if the payment succeeds later', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy(
      { kind: 'plan', plan_id: (await shopper.plan(30)).id },
      testCards.requires3dsOnce,
    )
    await shopper.answerBankPage(info?.next.url ?? '', 'yes')
    await runJanitorIn(25 * hour)
    const { membership, id } = await shopper.visitor.callOk(getUser)
    expect(membership).toMatchObject({ state: 'subscribed', plan: { name: 'Monthly' } })
    const rows = await site.context.db
      .selectFrom('subscriptions')
      .select('status')
      .where('user_id', '=', id)
      .orderBy('created_at')
      .execute()
    expect(rows).toEqual([{ status: 'expired' }, { status: 'active' }])
  })
})

describe('a run with many due rows', () => {
  const insertDueEvents = (count: number) => {
    const now = site.context.clock.now()
    const events = Array.from({ length: count }, (_, index) => ({
      gateway: 'sandbox' as const,
      event_id: `evt_due_${index}`,
      reference: `unknown_${index}`,
      received_at: now,
      next_poll_at: now,
    }))
    return site.context.db.insertInto('webhook_events').values(events).execute()
  }
  afterEach(async () => {
    await site.context.db.deleteFrom('webhook_events').execute()
  })

  test('processes all of them, several at the same time', async () => {
    await insertDueEvents(100)
    let started = 0
    const eight = Promise.withResolvers<void>()
    site.gatewayOverrides.retrievePayment = async () => {
      if (++started === 8) eight.resolve()
      await eight.promise
      return null
    }
    await runJanitor(site.context)
    expect(started).toBe(100)
    expect(await unappliedEvents(site)).toEqual([])
  })

  test('processes the rows of all other steps if a step fails, and then fails', async () => {
    await insertDueEvents(41)
    const { pool } = site.context.database
    await pool.query('ALTER TABLE order_links RENAME TO missing_links')
    const failure: unknown = await runJanitor(site.context).catch((error: unknown) => error)
    await pool.query('ALTER TABLE missing_links RENAME TO order_links')
    // The failed step is not repeated, although another one is.
    expect(failure).toMatchObject({ errors: [{ message: 'relation "order_links" does not exist' }] })
    expect(await unappliedEvents(site)).toEqual([])
  })

  test('starts no further batch after an abort', async () => {
    await insertDueEvents(41)
    const aborted = new AbortController()
    site.gatewayOverrides.retrievePayment = async () => {
      aborted.abort()
      return null
    }
    await runJanitor(site.context, aborted.signal)
    expect(await unappliedEvents(site)).toHaveLength(1)
  })

  test('closes more unpaid orders than fit into a batch', async () => {
    const { id } = await (await Shopper.create(site)).order(orderParams())
    const copied = await sql`
      INSERT INTO orders (id, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, expires_at)
      SELECT id || '_' || n, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, expires_at
      FROM orders, generate_series(1, 1000) n WHERE id = ${id}`.execute(site.context.db)
    expect(copied.numAffectedRows).toBe(1000n)
    await runJanitorIn(25 * hour)
    const pending = site.context.db.selectFrom('orders').select('id').where('status', '=', 'pending')
    expect(await pending.execute()).toEqual([])
  })
})
