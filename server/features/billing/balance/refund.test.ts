import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { listBalanceEntries, refundBalance } from '#contract/balance.ts'
import type { Order } from '#contract/billing.ts'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { insertRefund } from '#server/features/billing/records/refund-queries.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { syncTopUp } from '#server/features/billing/refunds/sync-top-up.ts'
import { newId } from '#server/platform/ids.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import * as balances from '#server/testing/site/balance-site.ts'
import { balanceOf, balanceSite, expectLedgerAndBalances } from '#server/testing/site/balance-site.ts'
import {
  episodeIdOf,
  applySandboxWebhook,
  paymentOf,
  playbackCode,
  refundsOf,
  runJanitorAfter,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'

let site: BillingSite

beforeAll(async () => {
  site = await balanceSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerAndBalances(site))

const withBalance = (price_cents = 500, bonus_cents = 0) =>
  balances.createShopperWithBalance(site, [price_cents, bonus_cents])
const addMoney = (shopper: Shopper, cents: number) => balances.purchaseTopUp(site, shopper, [cents])
const unlockEpisode = (shopper: Shopper, number = 4) => balances.unlockFromBalance(site, shopper, number)
const bankSays = (order: Order, status: 'open' | 'won' | 'lost') =>
  balances.setDisputeStatus(site, order, status)

/** Refunds an order as an operator. */
const refund = ({ id }: Order, amountCents?: number) =>
  refundOrder(site.context, id, { reason: 'asked for it', ...(amountCents ? { amountCents } : {}) })

/** Inserts an unsent refund of a purchase, like a process that crashes after its first commit. */
async function startRefund({ id: orderId }: Order, amount_cents: number): Promise<void> {
  const { db, clock } = site.context
  const attempts = db.selectFrom('payment_attempts').select('id').where('order_id', '=', orderId)
  const { id: attempt_id } = await attempts.executeTakeFirstOrThrow()
  const [now, id] = [clock.now(), newId('ref')]
  const refund = { id, attempt_id, idempotency_key: id, amount_cents, reason: 'asked for it' }
  const row = {
    ...refund,
    origin: 'requested',
    status: 'started',
    next_poll_at: now,
    created_at: now,
  } as const
  await db.transaction().execute((tx) => insertRefund(tx, row))
}

const kindsOf = async ({ visitor }: Shopper) =>
  (await visitor.callOk(listBalanceEntries)).list.map(({ kind }) => kind)

/** Returns the sum of an order's lines in a ledger account; debits are positive. */
async function booked({ id }: Order, account: string): Promise<number> {
  const lines = site.context.db.selectFrom('ledger_lines').select('amount_cents').where('order_id', '=', id)
  const rows = await lines.where('account', '=', account).execute()
  return rows.reduce((sum, { amount_cents }) => sum + Number(amount_cents), 0)
}

describe('a refund of a top-up', () => {
  test('returns the unspent paid money less the spent bonus', async () => {
    const { shopper, topUp } = await withBalance(500, 50)
    const order = await unlockEpisode(shopper)
    expect(order).toMatchObject({ discount_cents: 50 })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 451, refundable_cents: 401 })
    await refund(topUp)
    expect(await refundsOf(site, topUp.id)).toMatchObject([{ amount_cents: 401, status: 'succeeded' }])
    expect(await balanceOf(shopper)).toBeUndefined()
    expect(await shopper.getOrder(topUp.id)).toMatchObject({
      status: 'partially_refunded',
      refunded_cents: 401,
    })
    // The purchase stays valid, and is now paid completely with paid money.
    expect(await playbackCode(site, shopper)).toBe(200)
    expect(await shopper.getOrder(order.id)).toMatchObject({ discount_cents: 0 })
    expect(await booked(order, 'sales:episode')).toBe(-99)
    expect(await booked(order, 'bonus_discount')).toBe(0)
    expect(await kindsOf(shopper)).toEqual(
      expect.arrayContaining(['top_up_refund', 'bonus_set_off', 'purchase', 'top_up']),
    )
  })

  test('pays no more than the price minus the spent bonus if only bonus money was spent', async () => {
    const { shopper, topUp } = await withBalance(500, 198)
    for (const number of [4, 5])
      expect(await unlockEpisode(shopper, number)).toMatchObject({ discount_cents: 99 })
    expect(await shopper.visitor.callOk(refundBalance, { body: {} })).toEqual({
      refunds: [{ currency: 'USD', amount_cents: 302, refused_cents: 0 }],
    })
    expect(await refundsOf(site, topUp.id)).toMatchObject([{ amount_cents: 302 }])
    expect(await balanceOf(shopper)).toBeUndefined()
  })

  test('is refused if the spent bonus exceeds the unspent paid money, which remains spendable', async () => {
    const { shopper, topUp } = await withBalance(100, 190)
    for (const number of [4, 5]) await unlockEpisode(shopper, number)
    // 8 cents of the second episode were paid with paid money.
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 92, refundable_cents: 0 })
    expect((await shopper.visitor.call(refundBalance, { body: {} })).answer).toMatchObject({ code: 409 })
    await expect(refund(topUp)).rejects.toMatchObject({ reason: 'notRefundable' })
    await addMoney(shopper, 99)
    expect((await unlockEpisode(shopper, 6)).status).toBe('paid')
  })

  test('restores the bonus and the discounts of purchases if the gateway refuses the refund', async () => {
    const { shopper, topUp } = await withBalance(500, 120)
    const order = await unlockEpisode(shopper)
    site.gatewayOverrides.refundPayment = () => Promise.reject(new Error('away'))
    await refund(topUp)
    expect(await balanceOf(shopper)).toBeUndefined()
    site.gatewayOverrides.refundPayment = () => Promise.reject(new GatewayRefused('no'))
    await runJanitorAfter(site, 3_600_000)
    expect(await balanceOf(shopper)).toMatchObject({
      paid_cents: 500,
      bonus_cents: 21,
      refundable_cents: 401,
    })
    expect(await shopper.getOrder(order.id)).toMatchObject({ discount_cents: 99 })
    expect(await booked(order, 'bonus_discount')).toBe(99)
    Reflect.deleteProperty(site.gatewayOverrides, 'refundPayment')
    await refund(topUp)
    expect((await refundsOf(site, topUp.id)).map(({ amount_cents }) => amount_cents)).toEqual([401, 401])
  })

  test('changes nothing if the gateway refuses it after an earlier partial refund', async () => {
    const { shopper, topUp } = await withBalance(1000, 100)
    const order = await unlockEpisode(shopper)
    await refund(topUp, 200)
    const before = { paid_cents: 800, bonus_cents: 1, refundable_cents: 701 }
    expect(await balanceOf(shopper)).toMatchObject(before)
    site.gatewayOverrides.refundPayment = () => Promise.reject(new GatewayRefused('no'))
    await expect(refund(topUp)).rejects.toMatchObject({ reason: 'refundDeclined' })
    expect(await balanceOf(shopper)).toMatchObject(before)
    expect(await shopper.getOrder(order.id)).toMatchObject({ discount_cents: 99 })
  })

  test('does not restore the bonus that an earlier refund removed, if the gateway refuses the new refund', async () => {
    const { shopper, topUp } = await withBalance(500, 150)
    const order = await unlockEpisode(shopper)
    // Refunds the whole refundable amount: 99 of the bonus are set off, and 51 are withdrawn.
    await refund(topUp)
    await refund(order)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 99, bonus_cents: 0 })
    site.gatewayOverrides.refundPayment = () => Promise.reject(new GatewayRefused('no'))
    await expect(refund(topUp)).rejects.toMatchObject({ reason: 'refundDeclined' })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 99, bonus_cents: 0 })
  })

  test('removes the unspent bonus only when no paid money is left', async () => {
    const { shopper, topUp } = await withBalance(500, 50)
    await refund(topUp, 200)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 300, bonus_cents: 50 })
    await refund(topUp)
    expect(await balanceOf(shopper)).toBeUndefined()
    expect(await shopper.getOrder(topUp.id)).toMatchObject({ status: 'refunded' })
  })

  test('that is partial does not affect later refunds of purchases', async () => {
    const { shopper, topUp } = await withBalance(200, 198)
    await refund(topUp, 10)
    const [first, , last] = [
      await unlockEpisode(shopper, 4),
      await unlockEpisode(shopper, 5),
      await unlockEpisode(shopper, 6),
    ]
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 91, bonus_cents: 0 })
    // Less paid money is left than bonus was spent. The refund of a purchase does not depend on that.
    await refund(last)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 190, bonus_cents: 0 })
    await refund(first)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 190, bonus_cents: 99, refundable_cents: 91 })
    await refund(topUp)
    expect(await balanceOf(shopper)).toBeUndefined()
  })

  test('also refunds spent money if an operator requests it, and books it as a loss', async () => {
    const { shopper, topUp } = await withBalance(500)
    await unlockEpisode(shopper)
    await refund(topUp, 500)
    expect(await booked(topUp, 'balance_loss')).toBe(99)
    expect(await balanceOf(shopper)).toBeUndefined()
    expect(await playbackCode(site, shopper)).toBe(200)
  })

  test('returns a duplicate payment of the top-up without changing the balance', async () => {
    const shopper = await Shopper.create(site)
    // The response to the first payment is lost, and the gateway does not find this payment for a while.
    site.gatewayOverrides.createPayment = async (charge) => {
      await site.sandboxGateway.createPayment(charge)
      throw new Error('the line is dead')
    }
    site.gatewayOverrides.retrievePayment = () => Promise.resolve(null)
    const order = await shopper.order({ kind: 'top_up', top_up_id: 'top_5' })
    await shopper.tryPay(order.id, await shopper.cardToken())
    Reflect.deleteProperty(site.gatewayOverrides, 'createPayment')
    site.advanceClock(61_000)
    expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({
      info: { status: 'paid' },
    })
    Reflect.deleteProperty(site.gatewayOverrides, 'retrievePayment')
    site.advanceClock(3_600_000)
    await runJanitor(site.context)
    expect(await refundsOf(site, order.id)).toMatchObject([{ amount_cents: 500, status: 'succeeded' }])
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500 })
    // Synchronizing either payment does not change the balance, because only one of them was credited.
    const attempts = site.context.db
      .selectFrom('payment_attempts')
      .select('id')
      .where('order_id', '=', order.id)
    for (const { id } of await attempts.execute()) {
      await site.context.db.transaction().execute((tx) => syncTopUp(tx, id, new Date()))
      expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500 })
    }
  })

  test('is refused if no paid money is left', async () => {
    const { shopper, topUp } = await withBalance(99)
    await unlockEpisode(shopper)
    await expect(refund(topUp)).rejects.toMatchObject({ reason: 'notRefundable' })
  })

  test('blocks the money while the refund is pending, and releases it if the gateway refuses the refund', async () => {
    const { shopper, topUp } = await withBalance(500, 50)
    site.gatewayOverrides.refundPayment = () => Promise.reject(new Error('away'))
    expect(await refund(topUp)).toMatchObject({ status: 'pending' })
    expect(await balanceOf(shopper)).toBeUndefined()
    expect(await shopper.tryOrder({ episode_id: episodeIdOf(site), gateway: 'balance' })).toMatchObject({
      code: 409,
      info: { available_cents: 0 },
    })
    site.gatewayOverrides.refundPayment = () => Promise.reject(new GatewayRefused('no'))
    site.advanceClock(3_600_000)
    await runJanitor(site.context)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500, bonus_cents: 50 })
    expect((await kindsOf(shopper))[0]).toBe('restored')
  })
})

describe('a user’s refund of the balance', () => {
  test('sends the unspent paid money of each top-up to its payment', async () => {
    const { shopper, topUp: first } = await withBalance(500, 100)
    const second = await addMoney(shopper, 300)
    // Spends the bonus, and 98 of the first top-up's paid money.
    await unlockEpisode(shopper)
    await unlockEpisode(shopper, 5)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 702, bonus_cents: 0, refundable_cents: 602 })
    expect(await shopper.visitor.callOk(refundBalance, { body: {} })).toEqual({
      refunds: [{ currency: 'USD', amount_cents: 602, refused_cents: 0 }],
    })
    expect(await refundsOf(site, first.id)).toMatchObject([{ amount_cents: 302 }])
    expect(await refundsOf(site, second.id)).toMatchObject([{ amount_cents: 300 }])
    expect((await shopper.visitor.call(refundBalance, { body: {} })).answer).toMatchObject({ code: 409 })
  })

  test('leaves money in the balance if no gateway can refund it', async () => {
    const { shopper, topUp } = await withBalance(500, 50)
    const { gateways } = site.context
    site.context.gateways = []
    const answer = await shopper.visitor.callOk(refundBalance, { body: {} })
    site.context.gateways = gateways
    expect(answer).toEqual({ refunds: [{ currency: 'USD', amount_cents: 0, refused_cents: 500 }] })
    expect(await refundsOf(site, topUp.id)).toEqual([])
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500, bonus_cents: 50 })
  })

  test('is sent once if it is requested many times concurrently', async () => {
    const { shopper, topUp } = await withBalance(500)
    await Promise.all([1, 2, 3, 4, 5].map(() => shopper.visitor.call(refundBalance, { body: {} })))
    expect(await refundsOf(site, topUp.id)).toMatchObject([{ amount_cents: 500, status: 'succeeded' }])
  })
})

describe('a refund of a purchase', () => {
  test('is credited to the balance as paid money and bonus, and revokes the entitlement', async () => {
    const { shopper } = await withBalance(500, 50)
    const order = await unlockEpisode(shopper)
    expect(order).toMatchObject({ discount_cents: 50 })
    await refund(order, 60)
    // The refund is credited as paid money first.
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500, bonus_cents: 11 })
    expect(await playbackCode(site, shopper)).toBe(200)
    await refund(order)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500, bonus_cents: 50 })
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded', refunded_cents: 99 })
    expect(await playbackCode(site, shopper)).toBe(402)
    expect((await shopper.tryOrder({ episode_id: episodeIdOf(site), gateway: 'balance' })).code).toBe(200)
  })

  test('is credited as bonus if the purchase was paid with bonus only', async () => {
    const { shopper } = await withBalance(500, 99)
    const order = await unlockEpisode(shopper)
    await refund(order)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500, bonus_cents: 99 })
  })

  test('reduces the loss if the top-up was fully refunded', async () => {
    const { shopper, topUp } = await withBalance(500)
    const order = await unlockEpisode(shopper)
    await refund(topUp, 500)
    await refund(order)
    expect(await booked(topUp, 'balance_loss')).toBe(0)
    expect(await balanceOf(shopper)).toBeUndefined()
    expect(await playbackCode(site, shopper)).toBe(402)
  })
})

describe('a refund of a purchase whose top-up was refunded', () => {
  test('is credited as paid money, because the refund of the top-up set off the bonus', async () => {
    const { shopper, topUp } = await withBalance(500, 99)
    const order = await unlockEpisode(shopper)
    await refund(topUp)
    await refund(order)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 99, bonus_cents: 0, refundable_cents: 99 })
    await refund(topUp)
    expect(await shopper.getOrder(topUp.id)).toMatchObject({ status: 'refunded' })
  })

  test('restores no bonus if no paid money is left', async () => {
    const { shopper, topUp } = await withBalance(100, 190)
    const first = await unlockEpisode(shopper)
    await unlockEpisode(shopper, 5)
    // An operator refunds all remaining paid money. The user could not request that, because the spent bonus is larger.
    await refund(topUp, 92)
    expect(await balanceOf(shopper)).toBeUndefined()
    await refund(first)
    expect(await balanceOf(shopper)).toBeUndefined()
    expect(await kindsOf(shopper)).toEqual(expect.arrayContaining(['refund', 'top_up_refund']))
  })
})

describe('a chargeback of a top-up', () => {
  test('debits the unspent money, and revokes the purchases made with the rest', async () => {
    const { shopper, topUp } = await withBalance(500, 50)
    await unlockEpisode(shopper)
    await unlockEpisode(shopper, 5)
    await bankSays(topUp, 'open')
    expect(await shopper.getOrder(topUp.id)).toMatchObject({ status: 'charged_back' })
    expect(await balanceOf(shopper)).toBeUndefined()
    expect(await playbackCode(site, shopper, 4)).toBe(402)
    expect(await playbackCode(site, shopper, 5)).toBe(402)
    expect(await booked(topUp, 'balance_loss')).toBe(0)
  })

  test('does not affect other top-ups and the purchases made with them', async () => {
    const { shopper, topUp: first } = await withBalance(99)
    const second = await addMoney(shopper, 500)
    await unlockEpisode(shopper, 4)
    await unlockEpisode(shopper, 5)
    await bankSays(second, 'open')
    expect(await playbackCode(site, shopper, 4)).toBe(200)
    expect(await playbackCode(site, shopper, 5)).toBe(402)
    expect(await balanceOf(shopper)).toBeUndefined()
    expect(await shopper.getOrder(first.id)).toMatchObject({ status: 'paid' })
  })

  test('that is partial debits the unspent money, and then revokes only the latest purchase', async () => {
    const { shopper, topUp } = await withBalance(250)
    await unlockEpisode(shopper, 4)
    site.advanceClock(1000)
    await unlockEpisode(shopper, 5)
    const payment = await paymentOf(site, topUp.id)
    site.gatewayOverrides.retrievePayment = () =>
      Promise.resolve({ ...payment, dispute: 'open' as const, disputedCents: 100 })
    await applySandboxWebhook(site, payment.reference)
    // 52 cents were unspent. The rest of the revoked purchase's price remains in the balance.
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 51 })
    expect(await playbackCode(site, shopper, 5)).toBe(402)
    expect(await playbackCode(site, shopper, 4)).toBe(200)
    expect(await booked(topUp, 'balance_loss')).toBe(0)
    Reflect.deleteProperty(site.gatewayOverrides, 'retrievePayment')
    await applySandboxWebhook(site, payment.reference)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 151 })
  })

  test('that the site wins credits the money to the balance, but does not restore purchases', async () => {
    const { shopper, topUp } = await withBalance(500, 50)
    await unlockEpisode(shopper)
    await bankSays(topUp, 'open')
    await bankSays(topUp, 'won')
    expect(await shopper.getOrder(topUp.id)).toMatchObject({ status: 'paid' })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500, bonus_cents: 50 })
    expect(await playbackCode(site, shopper)).toBe(402)
    expect((await unlockEpisode(shopper)).status).toBe('paid')
  })

  test('that the site wins restores the bonus, even if the top-up was partially refunded before', async () => {
    const { shopper, topUp } = await withBalance(500, 50)
    await unlockEpisode(shopper)
    await refund(topUp, 200)
    await bankSays(topUp, 'open')
    expect(await balanceOf(shopper)).toBeUndefined()
    await bankSays(topUp, 'won')
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 300, bonus_cents: 50 })
  })

  test('books no loss if the dispute is lost and the revoked purchase covers the amount', async () => {
    const { shopper, topUp } = await withBalance(500)
    const order = await unlockEpisode(shopper)
    await refund(topUp, 401)
    await bankSays(topUp, 'open')
    await bankSays(topUp, 'lost')
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded' })
    expect(await booked(topUp, 'dispute_lost')).toBe(0)
    expect(await booked(topUp, 'balance_loss')).toBe(0)
  })

  test.each([20, 99])('revokes a purchase with a pending refund of %i cents', async (cents) => {
    const { shopper, topUp } = await withBalance(500)
    const order = await unlockEpisode(shopper)
    await startRefund(order, cents)
    await bankSays(topUp, 'open')
    await runJanitorAfter(site, 3_600_000)
    const refunds = await refundsOf(site, order.id)
    expect(refunds.map(({ status }) => status)).toEqual(
      cents === 99 ? ['succeeded'] : ['succeeded', 'succeeded'],
    )
    expect(refunds.reduce((sum, each) => sum + each.amount_cents, 0)).toBe(99)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'refunded', refunded_cents: 99 })
    expect(await playbackCode(site, shopper)).toBe(402)
    expect(await balanceOf(shopper)).toBeUndefined()
    expect(await booked(topUp, 'balance_loss')).toBe(0)
  })

  test('changes nothing if the gateway reports it again', async () => {
    const { shopper, topUp } = await withBalance(500, 50)
    await unlockEpisode(shopper)
    await bankSays(topUp, 'open')
    const before = await kindsOf(shopper)
    const { reference } = await paymentOf(site, topUp.id)
    await Promise.all([1, 2, 3, 4].map(() => applySandboxWebhook(site, reference)))
    expect(await kindsOf(shopper)).toEqual(before)
  })

  test('reverses the loss if an operator had refunded spent money', async () => {
    const { shopper, topUp } = await withBalance(500)
    const order = await unlockEpisode(shopper)
    await refund(topUp, 450)
    expect(await booked(topUp, 'balance_loss')).toBe(49)
    // The refund covers part of the loss. No other money is left in the top-up.
    await refund(order, 20)
    expect(await booked(topUp, 'balance_loss')).toBe(29)
    await bankSays(topUp, 'open')
    expect(await playbackCode(site, shopper)).toBe(402)
    expect(await booked(topUp, 'balance_loss')).toBe(0)
    expect((await balanceOf(shopper))?.available_cents ?? 0).toBe(0)
  })
})
