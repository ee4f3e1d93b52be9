import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { getBalance } from '#contract/balance.ts'
import type { Order } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { getEpisode } from '#contract/media.ts'
import {
  compareGatewayBalance,
  expectTransactionsBalanced,
} from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { startFakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { startBillingSite } from '#server/testing/site/billing-site.ts'
import { takeBackup } from '#server/testing/database/take-backup.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { payerEmail } from '#server/features/billing/gateways/paypal/fake/fake-orders.ts'
import { FakePaypal } from '#server/features/billing/gateways/paypal/fake/fake-paypal.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { reconcile } from './reconcile.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { applyWebhookEvent } from '#server/features/billing/webhooks/receive-webhook.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

const [hour, day] = [3_600_000, 86_400_000]

/** A site with one gateway. */
interface Shop {
  site: TestSite
  video: BuiltVideo
  /** Pays an order at the gateway, as the browser and the user do. */
  pay(shopper: Shopper, order: Order): Promise<void>
  paymentParams: { gateway: 'sandbox' | 'stripe' | 'paypal'; method?: 'wallet' }
  moveOn(milliseconds: number): void
  /** Returns the e-mail address that is known for a buyer whose account was lost. */
  addressOf(shopper: Shopper): string
  close(): Promise<void>
}

async function sandboxShop(): Promise<Shop> {
  const site = await startBillingSite({ PREPAID_BALANCE: 'on' })
  return {
    site,
    video: site.video,
    paymentParams: { gateway: 'sandbox' },
    pay: async (shopper, { id }) => void (await shopper.tryPay(id, await shopper.cardToken())),
    moveOn: site.advanceClock,
    addressOf: ({ email }) => email,
    close: () => site.close(),
  }
}

async function stripeShop(): Promise<Shop> {
  let offset = 0
  const clock = { now: () => new Date(Date.now() + offset) }
  const fake = await startFakeStripe(clock)
  const site = await startTestSite({ clock }, { ...fake.env, PREPAID_BALANCE: 'on' })
  return {
    site,
    video: await buildVideo(site.context),
    paymentParams: { gateway: 'stripe' },
    async pay(shopper, { id, next }) {
      await fake.confirm(next.client_secret ?? '', testCards.pays)
      await shopper.tryPay(id, next.client_secret?.split('_secret_')[0])
    },
    moveOn: (milliseconds) => void (offset += milliseconds),
    addressOf: ({ email }) => email,
    async close() {
      await site.close()
      await fake.close()
    },
  }
}

async function paypalShop(): Promise<Shop> {
  let offset = 0
  const paypal = await FakePaypal.start()
  const site = await startTestSite(
    { clock: { now: () => new Date(Date.now() + offset) } },
    { ...paypal.settings, PREPAID_BALANCE: 'on' },
  )
  return {
    site,
    video: await buildVideo(site.context),
    paymentParams: { gateway: 'paypal', method: 'wallet' },
    async pay(shopper, { id, next }) {
      paypal.orders.approve(new URL(next.url ?? '').searchParams.get('token') ?? '')
      await shopper.getOrder(id)
    },
    moveOn(milliseconds) {
      offset += milliseconds
      paypal.clockOffsetMs = offset
    },
    addressOf: () => payerEmail,
    async close() {
      await site.close()
      await paypal.close()
    },
  }
}

describe.each([
  ['the sandbox', sandboxShop],
  ['Stripe', stripeShop],
  ['PayPal', paypalShop],
])('an order that the database has lost, but %s still has', (_, open) => {
  let shop: Shop
  let restore: () => Promise<void>

  beforeAll(async () => {
    shop = await open()
  })
  afterAll(() => shop.close())
  beforeEach(async () => {
    const { db } = shop.site.context
    // All tests pay with the same card. Without this deletion, only the first test would get the introductory price.
    await db.deleteFrom('used_intro_prices').execute()
    restore = await takeBackup(db)
  })
  afterEach(async () => {
    const { db, gateways } = shop.site.context
    await expectTransactionsBalanced(db)
    for (const gateway of gateways) {
      const { ledgerCents, gatewayCents } = await compareGatewayBalance(db, gateway)
      expect(ledgerCents).toBe(gatewayCents)
    }
  })

  const episodeId = (number = 4) => shop.video.episodes[number - 1]?.id ?? ''
  const orderEpisode = (shopper: Shopper) => shopper.order({ ...shop.paymentParams, episode_id: episodeId() })

  async function buyEpisode(): Promise<{ shopper: Shopper; order: Order }> {
    const shopper = await Shopper.create(shop.site)
    const order = await orderEpisode(shopper)
    await shop.pay(shopper, order)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    return { shopper, order }
  }

  async function subscribe(): Promise<{ shopper: Shopper; order: Order }> {
    const shopper = await Shopper.create(shop.site)
    const plan_id = (await shopper.plan(7)).id
    const order = await shopper.order({ ...shop.paymentParams, kind: 'plan', plan_id })
    await shop.pay(shopper, order)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    return { shopper, order }
  }

  const canPlay = async ({ visitor }: Shopper, number = 4) =>
    (await visitor.call(getEpisode, { query: { episode_id: episodeId(number) } })).answer.code
  const membership = async ({ visitor }: Shopper) => (await visitor.callOk(getUser)).membership
  const subjects = async (address: string) =>
    (await shop.site.mails(address))
      .map(({ subject }) => subject)
      .filter((one) => one.includes('purchase is restored'))
  const rowOf = (id: string) =>
    shop.site.context.db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst()
  const ordersOf = (userId: string) =>
    shop.site.context.db
      .selectFrom('orders')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('period_no')
      .execute()

  /** Returns the references of a user's payments, sorted by period. */
  async function referencesOf(userId: string): Promise<string[]> {
    const rows = await shop.site.context.db
      .selectFrom('payment_attempts')
      .innerJoin('orders', 'orders.id', 'order_id')
      .select('reference')
      .where('user_id', '=', userId)
      .orderBy('period_no')
      .execute()
    return rows.map(({ reference }) => reference ?? '')
  }
  const applyEvent = (reference: string) =>
    applyWebhookEvent(shop.site.context, {
      gateway: shop.paymentParams.gateway,
      event_id: `evt_${reference}`,
      reference,
    })

  test('a purchase is restored with its order, entitlement, ledger lines and one mail', async () => {
    const { shopper, order } = await buyEpisode()
    const before = (await subjects(shop.addressOf(shopper))).length
    await restore()
    expect(await rowOf(order.id)).toBeUndefined()
    expect(await canPlay(shopper)).toBe(402)
    await reconcile(shop.site.context)
    await reconcile(shop.site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid', episode_id: episodeId() })
    expect(await canPlay(shopper)).toBe(200)
    expect((await rowOf(order.id))?.restored_at).not.toBeNull()
    expect((await subjects(shop.addressOf(shopper))).length - before).toBe(1)
    const { db } = shop.site.context
    const { rows: auditEvents } = await sql<{
      event: string
    }>`SELECT event FROM audit_events WHERE subject = ${order.id} ORDER BY id`.execute(db)
    expect(auditEvents.map(({ event }) => event)).toEqual(['order_restored', 'order_paid'])
  })

  test('a top-up is restored once, with its money and its bonus', async () => {
    const shopper = await Shopper.create(shop.site)
    const order = await shopper.order({ ...shop.paymentParams, kind: 'top_up', top_up_id: 'top_10' })
    await shop.pay(shopper, order)
    await restore()
    await reconcile(shop.site.context)
    await reconcile(shop.site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid', top_up_id: 'top_10' })
    const { balances } = await shopper.visitor.callOk(getBalance)
    expect(balances).toMatchObject([{ paid_cents: 1000, bonus_cents: 100 }])
  })

  test("a purchase is restored with the buyer's consents and referral link", async () => {
    const shopper = await Shopper.create(shop.site)
    const immediate_delivery = true
    const orderParams = {
      ...shop.paymentParams,
      episode_id: episodeId(),
      consent: { terms_text: 'What was shown', immediate_delivery },
    }
    const order = await shopper.order(orderParams, { 'x-referrer-token': 'spring, 50 %' })
    await shop.pay(shopper, order)
    const { consent, attribution } = (await rowOf(order.id)) ?? {}
    expect(attribution).toEqual({ referrer_token: 'spring, 50 %' })
    await restore()
    await reconcile(shop.site.context)
    const restored = await rowOf(order.id)
    expect(restored?.attribution).toEqual(attribution)
    const toSeconds = (at = '') => at.slice(0, 19)
    expect(restored?.consent).toEqual({ ...consent, at: `${toSeconds(consent?.at)}.000Z` })
  })

  test('a plan is restored with the drama that led to it, but without a referrer token that is too long to store', async () => {
    const shopper = await Shopper.create(shop.site)
    const plan_id = (await shopper.plan(7)).id
    const consent = { terms_text: 'What was shown' }
    const orderParams = {
      ...shop.paymentParams,
      kind: 'plan',
      plan_id,
      video_id: shop.video.id,
      consent,
    } as const
    const order = await shopper.order(orderParams, { 'x-referrer-token': 'l'.repeat(128) })
    await shop.pay(shopper, order)
    await restore()
    await reconcile(shop.site.context)
    expect(await rowOf(order.id)).toMatchObject({ status: 'paid', attribution: { video_id: shop.video.id } })
  })

  test('a purchase is restored by a webhook event about its payment', async () => {
    const { shopper, order } = await buyEpisode()
    const { reference } = await shop.site.context.db
      .selectFrom('payment_attempts')
      .select('reference')
      .where('order_id', '=', order.id)
      .executeTakeFirstOrThrow()
    await restore()
    const event = {
      gateway: shop.paymentParams.gateway,
      event_id: `evt_${order.id}`,
      reference: reference ?? '',
    }
    await applyWebhookEvent(shop.site.context, event)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  })

  test('a pending order in the backup becomes paid by the lost payment', async () => {
    const shopper = await Shopper.create(shop.site)
    const order = await orderEpisode(shopper)
    const { db } = shop.site.context
    restore = await takeBackup(db)
    await sql`DELETE FROM backup.payment_attempts WHERE order_id = ${order.id}`.execute(db)
    await shop.pay(shopper, order)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    await restore()
    await reconcile(shop.site.context)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  })

  test('a lost payment is refunded if the user has since bought the product again', async () => {
    const { shopper, order } = await buyEpisode()
    await restore()
    const second = await orderEpisode(shopper)
    await shop.pay(shopper, second)
    await reconcile(shop.site.context)
    expect(await shopper.getOrder(second.id)).toMatchObject({ status: 'paid' })
    expect(await rowOf(order.id)).toMatchObject({ status: 'cancelled', auto_refund_reason: 'already_owned' })
    expect(await canPlay(shopper)).toBe(200)
  })

  test('a plan is restored and renewed', async () => {
    const { shopper, order } = await subscribe()
    await restore()
    expect(await membership(shopper)).toMatchObject({ state: 'free' })
    await reconcile(shop.site.context)
    expect(await membership(shopper)).toMatchObject({ state: 'subscribed', status: 'active' })
    shop.moveOn(7 * day)
    await renewDueSubscriptions(shop.site.context)
    const { user_id = '' } = (await rowOf(order.id)) ?? {}
    expect((await ordersOf(user_id)).map(({ status }) => status)).toEqual(['paid', 'paid'])
    expect(await membership(shopper)).toMatchObject({ state: 'subscribed', status: 'active' })
  })

  test.each(['before', 'after'] as const)(
    'a lost renewal is restored and charged once if the reconciliation runs %s the renewal job',
    async (when) => {
      const { shopper, order } = await subscribe()
      restore = await takeBackup(shop.site.context.db)
      shop.moveOn(7 * day)
      await renewDueSubscriptions(shop.site.context)
      await restore()
      const { user_id = '' } = (await rowOf(order.id)) ?? {}
      expect(await ordersOf(user_id)).toHaveLength(1)
      if (when === 'after') await renewDueSubscriptions(shop.site.context)
      await reconcile(shop.site.context)
      for (const wait of [0, hour, 7 * hour, hour]) {
        shop.moveOn(wait)
        await runJanitor(shop.site.context)
        await renewDueSubscriptions(shop.site.context)
      }
      await reconcile(shop.site.context)
      expect(await membership(shopper)).toMatchObject({ state: 'subscribed', status: 'active' })
      expect((await ordersOf(user_id)).map(({ status }) => status)).toEqual(['paid', 'paid'])
      const [gateway] = shop.site.context.gateways
      if (!gateway) throw new Error('there is no gateway')
      const payments = (await listAllPayments(gateway)).filter(({ status }) => status === 'succeeded')
      const ids = (await ordersOf(user_id)).map(({ id }) => id)
      const attempts = await shop.site.context.db
        .selectFrom('payment_attempts')
        .select(['reference', 'status'])
        .where('order_id', 'in', ids)
        .execute()
      // The lost payment must not also settle the attempt that has the same key.
      expect(attempts.every(({ status }) => status === 'succeeded' || status === 'failed')).toBe(true)
      const own = payments.filter(({ reference }) => attempts.some((one) => one.reference === reference))
      expect(own.map(({ amountCents, refundedCents }) => amountCents - refundedCents).toSorted()).toEqual([
        499, 999,
      ])
    },
  )

  test('a subscription whose first payment is not found is restored from its renewals, and continues', async () => {
    const { shopper, order } = await subscribe()
    const { user_id = '', subscription_id } = (await rowOf(order.id)) ?? {}
    for (const _ of [1, 2]) {
      shop.moveOn(7 * day)
      await renewDueSubscriptions(shop.site.context)
    }
    const renewals = (await referencesOf(user_id)).slice(1)
    expect(renewals).toHaveLength(2)
    await restore()
    for (const reference of renewals) await applyEvent(reference)
    expect((await ordersOf(user_id)).map((row) => [row.subscription_id, row.period_no, row.status])).toEqual([
      [subscription_id, 1, 'paid'],
      [subscription_id, 2, 'paid'],
    ])
    expect(await membership(shopper)).toMatchObject({ state: 'subscribed', status: 'active' })
    expect(await canPlay(shopper)).toBe(200)
    await reconcile(shop.site.context)
  })

  test.each([
    ['all periods', 'no period', [2, 0, 1]],
    ['the renewals', 'the first period', [2, 1]],
  ] as const)(
    'lost payments restore %s of a subscription, even if they are found in another sequence',
    async (_lost, backup, found) => {
      const { shopper, order } = await subscribe()
      const { user_id = '' } = (await rowOf(order.id)) ?? {}
      const { db } = shop.site.context
      if (backup === 'the first period') restore = await takeBackup(db)
      for (const _ of [1, 2]) {
        shop.moveOn(7 * day)
        await renewDueSubscriptions(shop.site.context)
      }
      const references = await referencesOf(user_id)
      expect(references).toHaveLength(3)
      await restore()
      for (const period of found) await applyEvent(references[period] ?? '')
      await reconcile(shop.site.context)
      expect((await ordersOf(user_id)).map((row) => [row.period_no, row.status])).toEqual([
        [0, 'paid'],
        [1, 'paid'],
        [2, 'paid'],
      ])
      const granted = await db
        .selectFrom('entitlements')
        .innerJoin('orders', 'orders.id', 'order_id')
        .select(['starts_at', 'ends_at'])
        .where('orders.user_id', '=', user_id)
        .orderBy('period_no')
        .execute()
      expect(granted).toHaveLength(3)
      for (const [index, { starts_at }] of granted.slice(1).entries())
        expect(starts_at.getTime()).toBeGreaterThanOrEqual(granted[index]?.ends_at?.getTime() ?? Infinity)
      expect(await canPlay(shopper)).toBe(200)
      expect(await membership(shopper)).toMatchObject({ state: 'subscribed', status: 'active' })
      shop.moveOn(7 * day)
      await renewDueSubscriptions(shop.site.context)
      expect((await ordersOf(user_id)).map(({ period_no }) => period_no)).toEqual([0, 1, 2, 3])
      expect(await membership(shopper)).toMatchObject({ state: 'subscribed', status: 'active' })
    },
  )

  test('a lost renewal is refunded if the user has since subscribed again', async () => {
    const { shopper, order } = await subscribe()
    const { user_id = '' } = (await rowOf(order.id)) ?? {}
    shop.moveOn(7 * day)
    await renewDueSubscriptions(shop.site.context)
    const renewal = (await referencesOf(user_id))[1] ?? ''
    await restore()
    const plan_id = (await shopper.plan(7)).id
    const second = await shopper.order({ ...shop.paymentParams, kind: 'plan', plan_id })
    await shop.pay(shopper, second)
    await applyEvent(renewal)
    expect(await rowOf(second.id)).toMatchObject({ status: 'paid' })
    const lost = (await ordersOf(user_id)).find(({ period_no }) => period_no === 1)
    expect(lost).toMatchObject({ status: 'cancelled', auto_refund_reason: 'already_owned' })
    await reconcile(shop.site.context)
  })

  test('a buyer cannot pay for a past period whose lost payment is not restored yet', async () => {
    const { shopper, order } = await subscribe()
    const { user_id = '' } = (await rowOf(order.id)) ?? {}
    for (const _ of [1, 2]) {
      shop.moveOn(7 * day)
      await renewDueSubscriptions(shop.site.context)
    }
    const { db, clock } = shop.site.context
    const past = (await ordersOf(user_id))[1]
    const setPast = (change: { status: 'pending' | 'paid'; restored_at: Date | null }) =>
      db
        .updateTable('orders')
        .set(change)
        .where('id', '=', past?.id ?? '')
        .execute()
    await setPast({ status: 'pending', restored_at: clock.now() })
    onTestFinished(async () => void (await setPast({ status: 'paid', restored_at: null })))
    expect(await shopper.tryPay(past?.id ?? '', undefined)).toMatchObject({
      code: 409,
      message: 'You already own this. Enjoy!',
    })
  })

  test('a payment of another site is ignored', async () => {
    const { order } = await buyEpisode()
    await restore()
    const secret = 'the secret of another site'
    await reconcile({ ...shop.site.context, secret })
    expect(await rowOf(order.id)).toBeUndefined()
    await shop.site.context.db.deleteFrom('unmatched_payments').execute()
    await reconcile(shop.site.context)
    expect(await rowOf(order.id)).toMatchObject({ status: 'paid' })
  })
})
