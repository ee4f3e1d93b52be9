import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { getUser } from '#contract/members.ts'
import { balance } from '#server/testing/books.ts'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { Visitor } from '#server/testing/visitor.ts'
import { Shopper, testCards } from '#server/testing/shopper.ts'
import { signEvent } from './gateways/sandbox/notifications.ts'
import { runJanitor } from './janitor.ts'

let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())
afterEach(async () => {
  for (const name of Object.keys(site.trouble)) Reflect.deleteProperty(site.trouble, name)
  site.context.gatewayTimeoutMs = undefined
  const books = await balance(site.context.db)
  expect(books.ours).toBe(books.theirs)
})

const minute = 60_000
const hour = 60 * minute
const wish = () => ({ episode_id: site.video.episodes[3]?.id })

async function attempts(orderId: string) {
  return site.context.db
    .selectFrom('attempts')
    .select(['status', 'decline_code'])
    .where('order_id', '=', orderId)
    .orderBy('number')
    .execute()
}

/** A payment at the sandbox, which knows our keys. */
const byKey = (key: string) => site.sound.retrieve({ key, attemptId: '', startedAt: new Date(0) })

async function tidy(milliseconds: number) {
  site.moveOn(milliseconds)
  await runJanitor(site.context)
}

/** The gateway charges, but its answer is lost. */
function loseAnswers() {
  site.trouble.start = async (charge) => {
    await site.sound.start(charge)
    throw new Error('the line broke')
  }
}

describe('a payment whose answer was lost', () => {
  test('is unknown, not failed, and the look at the order finds it', async () => {
    const shopper = await Shopper.on(site)
    loseAnswers()
    const order = await shopper.order(wish())
    expect(await shopper.tryPay(order.id, await shopper.token())).toMatchObject({
      code: 500,
      message: /will not be charged twice/,
    })
    expect(await attempts(order.id)).toMatchObject([{ status: 'unknown' }])
    expect(await shopper.look(order.id)).toMatchObject({ status: 'paid' })
  })

  test('is unknown where a wallet is asked with the order', async () => {
    const shopper = await Shopper.on(site)
    loseAnswers()
    expect(await shopper.tryOrder({ ...wish(), method: 'wallet' })).toMatchObject({
      code: 500,
      message: /will not be charged twice/,
    })
  })

  test('is found by the janitor, which sends nothing again', async () => {
    const shopper = await Shopper.on(site)
    loseAnswers()
    const order = await shopper.order(wish())
    await shopper.tryPay(order.id, await shopper.token())
    const sent = site.calls['start']
    await tidy(15_000)
    expect(site.calls['start']).toBe(sent)
    expect(await attempts(order.id)).toMatchObject([{ status: 'succeeded' }])
    expect(await shopper.look(order.id)).toMatchObject({ status: 'paid' })
  })

  test('is found when "Pay" is pressed again, also under the same key, and charged once', async () => {
    const shopper = await Shopper.on(site)
    loseAnswers()
    const order = await shopper.order(wish())
    const token = await shopper.token()
    const key = { 'idempotency-key': `lost ${order.id}` }
    expect(await shopper.tryPay(order.id, token, key)).toMatchObject({ code: 500 })
    expect(await shopper.tryPay(order.id, token, key)).toMatchObject({ code: 200, info: { status: 'paid' } })
    expect(await attempts(order.id)).toHaveLength(1)
  })
})

test('a gateway that does not answer in time leaves the payment unknown', async () => {
  // The process whose patience is shortened, and no other.
  const shopper = await Shopper.on({ ...site, visitor: () => new Visitor(site.directUrl) })
  site.context.gatewayTimeoutMs = 50
  const charged = Promise.withResolvers<void>()
  site.trouble.start = async (charge) => {
    await charged.promise
    return site.sound.start(charge)
  }
  const order = await shopper.order(wish())
  expect(await shopper.tryPay(order.id, await shopper.token())).toMatchObject({
    code: 500,
    message: /no answer/,
  })
  charged.resolve()
  await expect.poll(() => byKey(`pay:${order.id}:1`)).toMatchObject({ status: 'succeeded' })
  expect(await shopper.look(order.id)).toMatchObject({ status: 'paid' })
})

describe('a payment that never reached the gateway', () => {
  const neverArrive = () => {
    site.trouble.start = () => Promise.reject(new Error('no route'))
  }

  test('is given up after an hour and not before; the order can still be paid', async () => {
    const shopper = await Shopper.on(site)
    neverArrive()
    const order = await shopper.order(wish())
    await shopper.tryPay(order.id, await shopper.token())
    for (const wait of [15_000, minute, 6 * minute]) await tidy(wait)
    expect(await attempts(order.id)).toMatchObject([{ status: 'unknown' }])
    await tidy(2 * hour)
    expect(await attempts(order.id)).toMatchObject([{ status: 'failed', decline_code: 'not_received' }])
    delete site.trouble.start
    expect(await shopper.tryPay(order.id, await shopper.token())).toMatchObject({
      code: 200,
      info: { status: 'paid' },
    })
  })

  test('keeps the person waiting a minute, then they can try again; should both arrive, one goes back', async () => {
    const shopper = await Shopper.on(site)
    let late: (() => Promise<unknown>) | undefined
    site.trouble.start = (charge) => {
      late = () => site.sound.start(charge)
      return Promise.reject(new Error('stuck on the way'))
    }
    const order = await shopper.order(wish())
    await shopper.tryPay(order.id, await shopper.token())
    expect(await shopper.tryPay(order.id, await shopper.token())).toMatchObject({
      code: 500,
      message: /no answer/,
    })
    site.moveOn(61_000)
    delete site.trouble.start
    expect(await shopper.tryPay(order.id, await shopper.token())).toMatchObject({
      code: 200,
      info: { status: 'paid' },
    })
    await late?.()
    await tidy(10 * minute)
    expect(await attempts(order.id)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }])
    const held = (await site.sound.listSince(new Date(0))).filter(({ orderId }) => orderId === order.id)
    expect(held.map(({ refundedCents }) => refundedCents).toSorted()).toEqual([0, 99])
  })
})

describe('an order that is not paid within 24 hours', () => {
  test('closes, and cannot be paid', async () => {
    const shopper = await Shopper.on(site)
    const order = await shopper.order(wish())
    site.moveOn(24 * hour + 1000)
    expect(await shopper.tryPay(order.id, await shopper.token())).toMatchObject({
      code: 409,
      message: /closed/,
    })
    await runJanitor(site.context)
    expect(await shopper.look(order.id)).toMatchObject({ status: 'expired', next: { type: 'none' } })
    expect(await shopper.tryPay(order.id, await shopper.token())).toMatchObject({ code: 409 })
  })

  test("has its open bank's check called off", async () => {
    const shopper = await Shopper.on(site)
    const { info } = await shopper.buy(wish(), testCards.asksAlways)
    await tidy(25 * hour)
    expect(await attempts(info?.id ?? '')).toMatchObject([{ status: 'cancelled' }])
    await shopper.decide(info?.next.url ?? '', 'yes')
    expect(await shopper.look(info?.id ?? '')).toMatchObject({ status: 'expired' })
  })

  test('is honoured where the money came all the same', async () => {
    const shopper = await Shopper.on(site)
    const { info } = await shopper.buy(wish(), testCards.asksAlways)
    await shopper.decide(info?.next.url ?? '', 'yes')
    await tidy(25 * hour)
    expect(await shopper.look(info?.id ?? '')).toMatchObject({ status: 'paid' })
  })

  test('is paid back where the thing is owned by then', async () => {
    const shopper = await Shopper.on(site)
    const { info } = await shopper.buy(wish(), testCards.asksAlways)
    await shopper.buy(wish())
    await shopper.decide(info?.next.url ?? '', 'yes')
    await tidy(25 * hour)
    expect(await shopper.look(info?.id ?? '')).toMatchObject({ status: 'expired' })
    expect(await byKey(`pay:${info?.id}:1`)).toMatchObject({
      status: 'succeeded',
      refundedCents: 99,
    })
  })
})

test('a refund that fails is sent again until it is through, once', async () => {
  const shopper = await Shopper.on(site)
  const { info } = await shopper.buy(wish(), testCards.asksAlways)
  await shopper.buy(wish())
  await shopper.decide(info?.next.url ?? '', 'yes')
  site.trouble.refund = async (refund) => {
    await site.sound.refund(refund)
    throw new Error('the line broke')
  }
  await shopper.look(info?.id ?? '')
  delete site.trouble.refund
  const waiting = await site.context.db
    .selectFrom('refunds')
    .select('status')
    .where('status', '=', 'started')
    .execute()
  expect(waiting).toHaveLength(1)
  await tidy(minute)
  expect(
    await site.context.db.selectFrom('refunds').select('status').where('status', '<>', 'succeeded').execute(),
  ).toEqual([])
  expect(await byKey(`pay:${info?.id}:1`)).toMatchObject({ refundedCents: 99 })
})

test('a refund that never goes through is reported after the last try, and not before', async () => {
  const shopper = await Shopper.on(site)
  const { info } = await shopper.buy(wish(), testCards.asksAlways)
  await shopper.buy(wish())
  await shopper.decide(info?.next.url ?? '', 'yes')
  site.trouble.refund = () => Promise.reject(new Error('the line broke'))
  await shopper.look(info?.id ?? '')
  const reported = vi.spyOn(site.context.log, 'error')
  const reports = () =>
    reported.mock.calls.filter(([, said]) => String(said).includes('after the last try')).length
  for (let tries = 1; tries < 10; tries++) await tidy(25 * hour)
  expect(reports()).toBe(0)
  await tidy(25 * hour)
  expect(reports()).toBe(1)
  reported.mockRestore()
  delete site.trouble.refund
  await site.context.db
    .updateTable('refunds')
    .set({ check_at: new Date(0) })
    .where('status', '=', 'started')
    .execute()
  await runJanitor(site.context)
})

describe('a subscription that waits for its first payment', () => {
  test('expires after 23 hours', async () => {
    const shopper = await Shopper.on(site)
    await shopper.order({ kind: 'plan', plan_id: (await shopper.plan(30)).id })
    const { id } = await shopper.visitor.ask(getUser)
    const statuses = () =>
      site.context.db.selectFrom('subscriptions').select('status').where('user_id', '=', id).execute()
    await tidy(22 * hour)
    expect(await statuses()).toEqual([{ status: 'incomplete' }])
    await tidy(hour + minute)
    expect(await statuses()).toEqual([{ status: 'expired' }])
  })

  test('is followed by another where the money comes later', async () => {
    const shopper = await Shopper.on(site)
    const { info } = await shopper.buy(
      { kind: 'plan', plan_id: (await shopper.plan(30)).id },
      testCards.asksOnce,
    )
    await shopper.decide(info?.next.url ?? '', 'yes')
    await tidy(25 * hour)
    const { membership, id } = await shopper.visitor.ask(getUser)
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

describe('a notification', () => {
  async function notify(reference: string) {
    const { body, headers } = signEvent(
      { secret: 'a secret of the tests', clock: site.context.clock },
      reference,
    )
    return () => site.visitor().fetch('/api/webhook/payment/sandbox', { method: 'POST', body, headers })
  }

  async function confirmed(shopper: Shopper) {
    const { info } = await shopper.buy(wish(), testCards.asksAlways)
    await shopper.decide(info?.next.url ?? '', 'yes')
    const payment = await byKey(`pay:${info?.id}:1`)
    return { orderId: info?.id ?? '', reference: payment?.reference ?? '' }
  }
  const statusOf = (id: string) =>
    site.context.db.selectFrom('orders').select('status').where('id', '=', id).executeTakeFirst()

  test('settles the payment that it is about, however often it comes', async () => {
    const { orderId, reference } = await confirmed(await Shopper.on(site))
    const send = await notify(reference)
    const responses = await Promise.all([send(), send(), send()])
    expect(responses.map(({ status }) => status)).toEqual([204, 204, 204])
    await expect.poll(() => statusOf(orderId)).toEqual({ status: 'paid' })
    await expect
      .poll(() =>
        site.context.db
          .selectFrom('notifications')
          .select('event_id')
          .where('applied_at', 'is', null)
          .execute(),
      )
      .toEqual([])
    expect(
      await site.context.db
        .selectFrom('notifications')
        .select('event_id')
        .where('reference', '=', reference)
        .execute(),
    ).toHaveLength(1)
  })

  test('that was recorded and not applied is applied by the janitor', async () => {
    const { orderId, reference } = await confirmed(await Shopper.on(site))
    site.trouble.retrieve = () => Promise.reject(new Error('the line broke'))
    expect((await (await notify(reference))()).status).toBe(204)
    await expect
      .poll(() =>
        site.context.db
          .selectFrom('notifications')
          .select('reference')
          .where('applied_at', 'is', null)
          .execute(),
      )
      .toEqual([{ reference }])
    expect(await statusOf(orderId)).toEqual({ status: 'pending' })
    delete site.trouble.retrieve
    await leaveToNotification(orderId)
    await tidy(15_000)
    expect(await statusOf(orderId)).toEqual({ status: 'paid' })
  })

  /** Has nothing else look at an order's payment. */
  const leaveToNotification = (orderId: string) =>
    site.context.db.updateTable('attempts').set({ check_at: null }).where('order_id', '=', orderId).execute()

  test('that cannot be applied keeps no later one from its turn, and is given up in the end', async () => {
    const { orderId, reference } = await confirmed(await Shopper.on(site))
    await leaveToNotification(orderId)
    const now = site.context.clock.now()
    const told = (name: string, at: Date) => ({
      gateway: 'sandbox' as const,
      event_id: `evt_${name}`,
      reference: name,
      received_at: at,
      check_at: at,
    })
    const stuck = Array.from({ length: 20 }, (_, index) => told(`stuck_${index}`, now))
    const late = told(reference, new Date(now.getTime() + 1))
    await site.context.db
      .insertInto('notifications')
      .values([...stuck, late])
      .execute()
    let looks = 0
    site.trouble.retrieve = async (lookup) => {
      if (!('reference' in lookup) || !lookup.reference.startsWith('stuck'))
        return site.sound.retrieve(lookup)
      looks++
      throw new Error('the line broke')
    }
    site.moveOn(1000)
    await runJanitor(site.context)
    await runJanitor(site.context)
    expect(await statusOf(orderId)).toEqual({ status: 'paid' })
    for (let days = 0; days < 12; days++) await tidy(25 * hour)
    const before = looks
    expect(before).toBeGreaterThan(20 * 5)
    for (let days = 0; days < 3; days++) await tidy(25 * hour)
    expect(looks).toBe(before)
    await site.context.db.deleteFrom('notifications').where('reference', 'like', 'stuck%').execute()
  })

  test('about nothing of ours is taken and laid aside', async () => {
    expect((await (await notify('spay_unknown'))()).status).toBe(204)
    await expect
      .poll(() =>
        site.context.db
          .selectFrom('notifications')
          .select('reference')
          .where('applied_at', 'is', null)
          .execute(),
      )
      .toEqual([])
  })
})
