import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { getSavedPaymentMethod, removeSavedPaymentMethod, type Offer, type Order } from '#contract/billing.ts'
import { getEpisode } from '#contract/media.ts'
import { getUser } from '#contract/members.ts'
import {
  attemptsOf,
  episodeIdOf,
  expectLedgerBalanced,
  applySandboxWebhook,
  startBillingSite,
  playbackCode,
  runJanitorAfter,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { readExportParts } from '#server/testing/read-export-parts.ts'
import { registerMember } from '#server/testing/builders/register-member.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { eraseBilling, exportBilling, mergeBilling } from '#server/features/billing/billing.ts'
import { handleDetachedMethod } from '#server/features/billing/payment-methods/handle-detached-method.ts'
import {
  deleteUnusedTerms,
  selectAcceptedTerms,
} from '#server/features/billing/records/accepted-terms-queries.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

const day = 86_400_000
const termsText = 'Save this card for future purchases. You can remove it in My account.'
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

const orderSavingCard = (number = 4) => ({
  episode_id: episodeIdOf(site, number),
  save_method: { terms_text: termsText },
})

/** Creates a shopper who has bought episode 4 and saved the card. */
async function createShopperWithCard(card = testCards.pays, shopper?: Shopper) {
  const person = shopper ?? (await Shopper.create(site))
  const order = await person.order(orderSavingCard())
  const { info } = await person.tryPay(order.id, await person.cardToken(card))
  if (info?.next.url) await person.answerBankPage(info.next.url, 'yes')
  expect(await person.getOrder(order.id)).toMatchObject({ status: 'paid' })
  return { person, order, userId: (await person.visitor.callOk(getUser)).id, saved: await savedOf(person) }
}

const savedOf = async ({ visitor }: Shopper) => (await visitor.callOk(getSavedPaymentMethod)).saved_method

/** Returns the offer of a locked episode. */
async function offerOf({ visitor }: Shopper, number = 5): Promise<Offer> {
  const query = { episode_id: episodeIdOf(site, number) }
  const { answer } = await visitor.call(getEpisode, { query })
  // The contract defines the offer as the info of code 402.
  return answer.info as unknown as Offer
}

/** Buys an episode with a saved card in one request. */
function buyWithSavedCard(
  person: Shopper,
  saved_method_id = '',
  number = 5,
  headers: Record<string, string> = {},
) {
  const orderParams = {
    episode_id: episodeIdOf(site, number),
    saved_method_id,
    amount_cents: 99,
    email: undefined,
  }
  return person.tryOrder(orderParams, headers)
}

const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))
const ordersOf = (userId: string) =>
  site.context.db.selectFrom('orders').selectAll().where('user_id', '=', userId).execute()
const paymentsOf = async (order: Order | undefined) =>
  (await listAllPayments(site.sandboxGateway)).filter(({ orderId }) => orderId === order?.id)
/** Returns the audit events about removed cards. */
const removalsOf = async (userId: string) => {
  const removals = sql<{ details: object }>`
    SELECT details FROM audit_events WHERE event = 'payment_method_removed' AND user_id = ${userId}`
  return (await removals.execute(site.context.db)).rows.map(({ details }) => details)
}
/** Returns the stored data of a card. */
const storedCardOf = (id = '') =>
  site.context.db
    .selectFrom('payment_methods')
    .select(['brand', 'last4', 'expires_at'])
    .where('id', '=', id)
    .execute()
/** Returns whether the gateway has deleted each saved card of a user's payments, oldest first. */
const areCardsDeleted = async (userId: string) => {
  const rows = await site.context.db
    .selectFrom('payment_attempts')
    .innerJoin('orders', 'orders.id', 'order_id')
    .innerJoin('sandbox_payments', 'sandbox_payments.id', 'payment_attempts.reference')
    .innerJoin('sandbox_payment_methods', 'sandbox_payment_methods.id', 'sandbox_payments.method_id')
    .select('detached_at')
    .where('user_id', '=', userId)
    .where('sandbox_payments.saved', '=', true)
    .orderBy('started_at')
    .execute()
  return rows.map(({ detached_at }) => detached_at !== null)
}

describe('a card is saved for purchases', () => {
  test('only if its buyer consented, and the text and time of the consent are stored', async () => {
    const without = await Shopper.create(site)
    await without.buy({ episode_id: episodeIdOf(site) })
    expect(await savedOf(without)).toBeNull()
    expect((await offerOf(without)).saved_method).toBeUndefined()

    const { person, order, saved } = await createShopperWithCard()
    expect(saved).toEqual({
      id: expect.stringMatching(/^pm_/),
      gateway: 'sandbox',
      brand: 'visa',
      last4: '4242',
    })
    expect((await offerOf(person)).saved_method).toEqual(saved)
    const consent = await site.context.db
      .selectFrom('payment_method_consents')
      .selectAll()
      .where('order_id', '=', order.id)
      .executeTakeFirstOrThrow()
    expect(consent).toMatchObject({ consented_at: new Date(order.created_at), revoked_at: null })
    await site.context.db.updateTable('orders').set({ consent: null }).where('id', '=', order.id).execute()
    await deleteUnusedTerms(site.context.db, new Date(site.context.clock.now().getTime() + 9 * day))
    expect(await selectAcceptedTerms(site.context.db, consent.terms_hash)).toBe(termsText)
  })

  test('and replaces the previously saved card, which is detached', async () => {
    const { person, userId, saved } = await createShopperWithCard()
    const { info } = await person.buy(orderSavingCard(5))
    expect(info?.status).toBe('paid')
    const second = await savedOf(person)
    expect(second?.id).not.toBe(saved?.id)
    await runJanitorAfter(site, 60_000)
    expect(await areCardsDeleted(userId)).toEqual([true, false])
    expect(await buyWithSavedCard(person, saved?.id, 6)).toMatchObject({ code: 500, message: /no longer/ })
    expect(await buyWithSavedCard(person, second?.id, 6)).toMatchObject({
      code: 200,
      info: { status: 'paid' },
    })
  })

  test('but a wallet or the method of a plan is not', async () => {
    const person = await Shopper.create(site)
    const { id: plan_id } = await person.plan(30)
    expect(await person.tryOrder({ ...orderSavingCard(), method: 'wallet' })).toMatchObject({ code: 400 })
    expect(
      await person.tryOrder({ kind: 'plan', plan_id, save_method: { terms_text: termsText } }),
    ).toMatchObject({
      code: 400,
    })
  })

  test('but not again in a purchase with the saved card', async () => {
    const { person, saved } = await createShopperWithCard()
    const orderParams = {
      episode_id: episodeIdOf(site, 5),
      saved_method_id: saved?.id,
      save_method: { terms_text: termsText },
    }
    expect(await person.tryOrder(orderParams)).toMatchObject({ code: 400, message: /not saved again/ })
  })

  test('but not if the payment buys nothing and is refunded', async () => {
    const person = await Shopper.create(site)
    const orders = [await person.order(orderSavingCard()), await person.order(orderSavingCard())]
    for (const { id } of orders) await person.tryPay(id, await person.cardToken(testCards.requires3dsOnce))
    for (const { id } of orders)
      await person.answerBankPage((await person.getOrder(id)).next.url ?? '', 'yes')
    for (const { id } of orders) await person.getOrder(id)
    await runJanitorAfter(site, 60_000)
    expect(await areCardsDeleted((await person.visitor.callOk(getUser)).id)).toEqual([false, true])
    expect(await savedOf(person)).not.toBeNull()
  })
})

describe('a purchase with a saved card', () => {
  test('takes one call: the order is paid, the episode plays, and the receipt is sent to the first order’s address', async () => {
    const { person, userId, saved } = await createShopperWithCard()
    const { code, info } = await buyWithSavedCard(person, saved?.id)
    expect(code).toBe(200)
    expect(info).toMatchObject({ status: 'paid', amount_cents: 99, gateway: 'sandbox' })
    expect(await playbackCode(site, person, 5)).toBe(200)
    const order = (await ordersOf(userId)).find(({ id }) => id === info?.id)
    expect(order).toMatchObject({ email: person.email, saved_method_id: saved?.id })
    const receipts = (await site.mails(person.email)).map(({ subject }) => subject)
    expect(receipts).toEqual([4, 5].map((number) => expect.stringMatching(`^Your receipt: .+ ${number}$`)))
    expect(await savedOf(person)).toEqual(saved)
  })

  test.each([
    ['different keys', (index: number) => ({ 'idempotency-key': `press ${index}` })],
    ['one key', () => ({ 'idempotency-key': 'one key' })],
    ['no key', () => ({})],
  ])('is charged once for 50 concurrent requests with %s', async (_, headersOf) => {
    const { person, userId, saved } = await createShopperWithCard()
    const answers = await times(50, (index) => buyWithSavedCard(person, saved?.id, 5, headersOf(index)))
    const first = answers.find(({ code }) => code === 200)
    expect(first?.info?.status).toBe('paid')
    // A request that arrives after the payment gets the paid order.
    const outcomes = answers.filter(({ code }) => code !== 409).map(({ code, info }) => [code, info?.id])
    expect(outcomes).toEqual(outcomes.map(() => [200, first?.info?.id]))
    expect(await paymentsOf(first?.info)).toMatchObject([{ status: 'succeeded', refundedCents: 0 }])
    expect((await ordersOf(userId)).map(({ status }) => status)).toEqual(['paid', 'paid'])
  })

  test('waits for the customer if the bank requires 3-D Secure, and has the outcome of the challenge', async () => {
    const { person, saved } = await createShopperWithCard(testCards.requires3dsAlways)
    const { info } = await buyWithSavedCard(person, saved?.id)
    expect(info).toMatchObject({ status: 'pending', next: { type: 'authenticate' } })
    expect((await buyWithSavedCard(person, saved?.id)).info).toEqual(info)
    await person.answerBankPage(info?.next.url ?? '', 'no')
    expect(await person.getOrder(info?.id ?? '')).toMatchObject({
      declined: { reason: 'bankAuthenticationFailed' },
    })
    const again = await buyWithSavedCard(person, saved?.id)
    await person.answerBankPage(again.info?.next.url ?? '', 'yes')
    expect(await person.getOrder(info?.id ?? '')).toMatchObject({ id: again.info?.id, status: 'paid' })
    expect(await attemptsOf(site, info?.id ?? '')).toMatchObject([
      { status: 'failed' },
      { status: 'succeeded' },
    ])
  })

  test('shows the reason if it is declined, and leaves the order open for another card', async () => {
    const { person, saved, userId } = await createShopperWithCard()
    site.gatewayOverrides.createPayment = (charge) =>
      site.sandboxGateway.createPayment(
        charge.methodReference ? { ...charge, methodReference: 'away' } : charge,
      )
    expect(await buyWithSavedCard(person, saved?.id)).toMatchObject({ code: 500, message: /declined/ })
    expect(await playbackCode(site, person, 5)).toBe(402)
    const { isMethodAttached = 0 } = site.calls
    await runJanitorAfter(site, 0)
    expect(site.calls['isMethodAttached']).toBeGreaterThan(isMethodAttached)
    expect((await offerOf(person)).saved_method).toEqual(saved)
    const open = (await ordersOf(userId)).find(({ status }) => status === 'pending')
    delete site.gatewayOverrides.createPayment
    const typed = (card: string) =>
      person.cardToken(card).then((token) => person.tryPay(open?.id ?? '', token))
    expect(await typed('4000000000000069')).toMatchObject({ code: 500, message: /expired/ })
    expect(await savedOf(person)).toEqual(saved)
    expect((await typed(testCards.pays)).info).toMatchObject({ status: 'paid' })
    expect(await playbackCode(site, person, 5)).toBe(200)
  })

  test('is found after a lost response, and is not charged again if the customer repeats the purchase', async () => {
    const { person, saved } = await createShopperWithCard()
    site.gatewayOverrides.createPayment = async (charge) => {
      await site.sandboxGateway.createPayment(charge)
      throw new Error('the line broke')
    }
    const { code, info: open } = await buyWithSavedCard(person, saved?.id)
    // The answer is not an error, because after an error the user would pay again with another method.
    expect({ code, open }).toMatchObject({ code: 200, open: { status: 'pending', next: { type: 'none' } } })
    delete site.gatewayOverrides.createPayment
    const { info } = await buyWithSavedCard(person, saved?.id)
    expect(info).toMatchObject({ id: open?.id, status: 'paid' })
    expect(await paymentsOf(info)).toHaveLength(1)
  })

  test('is refused at a price other than the shown one', async () => {
    const { person, saved, userId } = await createShopperWithCard()
    const orderParams = { episode_id: episodeIdOf(site, 5), saved_method_id: saved?.id, amount_cents: 50 }
    expect(await person.tryOrder(orderParams)).toMatchObject({ code: 409, info: { amount_cents: 99 } })
    expect(await ordersOf(userId)).toHaveLength(1)
  })

  test('is refused for another user, for a plan and with a wallet', async () => {
    const { person, saved } = await createShopperWithCard()
    const other = await Shopper.create(site)
    await other.order({ episode_id: episodeIdOf(site, 6) })
    expect((await offerOf(other)).saved_method).toBeUndefined()
    expect(await buyWithSavedCard(other, saved?.id)).toMatchObject({ code: 500, message: /no longer/ })
    const id = { saved_method_id: saved?.id }
    expect(await person.tryOrder({ ...id, kind: 'plan', plan_id: (await person.plan(30)).id })).toMatchObject(
      {
        code: 400,
      },
    )
    expect(
      await person.tryOrder({ ...id, episode_id: episodeIdOf(site, 5), method: 'wallet' }),
    ).toMatchObject({
      code: 400,
    })
  })
})

describe('a saved card is not offered', () => {
  /** Expects that the card is not offered, and that an order with it is refused without a charge. */
  async function expectGone(person: Shopper, id: string | undefined): Promise<void> {
    const { createPayment = 0 } = site.calls
    expect((await offerOf(person)).saved_method).toBeUndefined()
    expect(await buyWithSavedCard(person, id)).toMatchObject({ code: 500, message: /no longer/ })
    expect(site.calls['createPayment']).toBe(createPayment)
  }

  test('after its removal, even if the removal is requested twice', async () => {
    const { person, saved, userId, order } = await createShopperWithCard()
    const body = { id: saved?.id ?? '' }
    const other = await createShopperWithCard()
    expect(await other.person.visitor.callOk(removeSavedPaymentMethod, { body })).toEqual({
      saved_method: other.saved,
    })
    expect(await savedOf(person)).toEqual(saved)
    for (const _ of [1, 2])
      expect(await person.visitor.callOk(removeSavedPaymentMethod, { body })).toEqual({ saved_method: null })
    await expectGone(person, saved?.id)
    expect(await storedCardOf(saved?.id)).toEqual([{ brand: null, last4: null, expires_at: null }])
    await runJanitorAfter(site, 60_000)
    expect(await areCardsDeleted(userId)).toEqual([true])
    // A later event about the first payment does not restore the card.
    const [attempt] = await site.context.db
      .selectFrom('payment_attempts')
      .select('reference')
      .where('order_id', '=', order.id)
      .execute()
    await applySandboxWebhook(site, attempt?.reference ?? '')
    await expectGone(person, saved?.id)
  })

  test('after its removal, and does not pay an open order that was created with it', async () => {
    const { person, saved, userId } = await createShopperWithCard()
    site.gatewayOverrides.createPayment = (charge) =>
      site.sandboxGateway.createPayment({ ...charge, methodReference: 'away' })
    await buyWithSavedCard(person, saved?.id)
    delete site.gatewayOverrides.createPayment
    await person.visitor.callOk(removeSavedPaymentMethod, { body: { id: saved?.id ?? '' } })
    const open = (await ordersOf(userId)).find(({ status }) => status === 'pending')
    expect(await person.tryPay(open?.id ?? '', undefined)).toMatchObject({ code: 500, message: /no longer/ })
  })

  test('after its expiry, but the account still shows it', async () => {
    const { person, saved } = await createShopperWithCard()
    const expires_at = site.context.clock.now()
    await site.context.db
      .updateTable('payment_methods')
      .set({ expires_at })
      .where('id', '=', saved?.id ?? '')
      .execute()
    await expectGone(person, saved?.id)
    expect(await savedOf(person)).toEqual({ ...saved, expired: true })
  })

  /** Removes a saved card at the gateway, which sends no event. @returns the card's reference at the gateway */
  async function forgetAtGateway(methodId: string | undefined): Promise<string> {
    const { reference } = await site.context.db
      .selectFrom('payment_methods')
      .select('reference')
      .where('id', '=', methodId ?? '')
      .executeTakeFirstOrThrow()
    await site.sandboxGateway.detachMethod(reference)
    return reference
  }

  test('after its bank has declined it permanently', async () => {
    const { person, saved, userId } = await createShopperWithCard(testCards.declinesRenewals)
    expect(await buyWithSavedCard(person, saved?.id)).toMatchObject({ code: 500, message: /expired/ })
    await expectGone(person, saved?.id)
    expect(await removalsOf(userId)).toEqual([{ gateway: 'sandbox', reason: 'card_expired' }])
  })

  test('after its owner has removed it at the gateway', async () => {
    const { person, saved, userId } = await createShopperWithCard()
    await applySandboxWebhook(site, await forgetAtGateway(saved?.id))
    await expectGone(person, saved?.id)
    expect(await removalsOf(userId)).toEqual([{ gateway: 'sandbox', reason: 'gone' }])
  })

  test('after its removal at the gateway, which is recorded once, even if two events are concurrent', async () => {
    const { saved, userId } = await createShopperWithCard()
    const reference = await forgetAtGateway(saved?.id)
    const { db, database } = site.context
    const holding = await db.startTransaction().execute()
    onTestFinished(async () => {
      if (!holding.isCommitted) await holding.rollback().execute()
    })
    await holding
      .selectFrom('payment_method_consents')
      .select('order_id')
      .where('payment_method_id', '=', saved?.id ?? '')
      .forUpdate()
      .execute()
    const applying = times(2, () => handleDetachedMethod(site.context, 'sandbox', reference))
    await waitForLock(database.pool, 2)
    await holding.commit().execute()
    expect(await applying).toEqual(['done', 'done'])
    expect(await removalsOf(userId)).toEqual([{ gateway: 'sandbox', reason: 'gone' }])
  })

  test('after it was declined because it had been detached at the gateway without an event', async () => {
    const { person, saved, userId } = await createShopperWithCard()
    await forgetAtGateway(saved?.id)
    expect(await buyWithSavedCard(person, saved?.id)).toMatchObject({ code: 500, message: /declined/ })
    await runJanitorAfter(site, 0)
    await expectGone(person, saved?.id)
    expect(await removalsOf(userId)).toEqual([{ gateway: 'sandbox', reason: 'gone' }])
  })

  test('while its gateway is not configured', async () => {
    const { person, saved } = await createShopperWithCard()
    const row = site.context.db.updateTable('payment_methods').where('id', '=', saved?.id ?? '')
    await row.set({ gateway: 'stripe' }).execute()
    expect((await offerOf(person)).saved_method).toBeUndefined()
    await row.set({ gateway: 'sandbox' }).execute()
    expect((await offerOf(person)).saved_method).toEqual(saved)
  })
})

describe('a saved card and accounts', () => {
  test('a guest who registers keeps the saved card', async () => {
    const { person, saved } = await createShopperWithCard()
    const { visitor } = await registerMember(site, person.visitor)
    const member = await Shopper.create(site, visitor)
    expect(await savedOf(member)).toEqual(saved)
    expect((await buyWithSavedCard(member, saved?.id)).info?.status).toBe('paid')
  })

  const merge = (guest: { userId: string }, member: { userId: string }) =>
    site.context.db
      .transaction()
      .execute((tx) => mergeBilling(tx, guest.userId, member.userId, site.context.clock.now()))

  test('a member keeps the saved card when a guest signs in, and the guest’s card is detached', async () => {
    const member = await createShopperWithCard()
    site.advanceClock(60_000)
    const guest = await createShopperWithCard()
    const open = await guest.person.order(orderSavingCard(5))
    await merge(guest, member)
    expect(await savedOf(member.person)).toEqual(member.saved)
    expect(await removalsOf(guest.userId)).toEqual([{ gateway: 'sandbox', reason: 'sign_in' }])
    await runJanitorAfter(site, 60_000)
    expect(await areCardsDeleted(member.userId)).toEqual([false, true])
    // An order that the guest created before the sign-in does not save another card either.
    await member.person.tryPay(open.id, await member.person.cardToken())
    expect(await member.person.getOrder(open.id)).toMatchObject({ status: 'paid' })
    expect(await savedOf(member.person)).toEqual(member.saved)
  })

  test('a member without a saved card gets the card of a guest who signs in', async () => {
    const guest = await createShopperWithCard()
    const person = await Shopper.create(site)
    await person.order({ episode_id: episodeIdOf(site, 6) })
    await merge(guest, { userId: (await person.visitor.callOk(getUser)).id })
    expect(await savedOf(person)).toEqual(guest.saved)
    expect((await buyWithSavedCard(person, guest.saved?.id)).info?.status).toBe('paid')
    expect(await removalsOf(guest.userId)).toEqual([])
  })

  test('the card of a plan does not replace the saved card, and is not removed with it', async () => {
    const { person, saved } = await createShopperWithCard()
    const { id: plan_id } = await person.plan(7)
    expect((await person.buy({ kind: 'plan', plan_id })).info?.status).toBe('paid')
    expect(await savedOf(person)).toEqual(saved)
    await person.visitor.callOk(removeSavedPaymentMethod, { body: { id: saved?.id ?? '' } })
    await runJanitorAfter(site, 60_000)
    expect((await person.visitor.callOk(getUser)).membership).toMatchObject({ method: { last4: '4242' } })
    expect(await areCardsDeleted((await person.visitor.callOk(getUser)).id)).toEqual([true, false])
  })

  test("the consent is in the user's data export, and is revoked when the account is deleted", async () => {
    const { person, userId, saved } = await createShopperWithCard()
    expect(await readExportParts(exportBilling(site.context.db, userId))).toMatchObject({
      payment_methods: [{ brand: 'visa', last4: '4242', expires_at: expect.any(Date) }],
      payment_method_consents: [{ terms_text: termsText, consented_at: expect.any(Date), revoked_at: null }],
    })
    const now = site.context.clock.now()
    await site.context.db.transaction().execute((tx) => eraseBilling(tx, userId, now))
    expect(await buyWithSavedCard(person, saved?.id)).toMatchObject({ code: 500, message: /no longer/ })
    expect(await storedCardOf(saved?.id)).toEqual([{ brand: null, last4: null, expires_at: null }])
    await runJanitorAfter(site, 60_000)
    expect(await areCardsDeleted(userId)).toEqual([true])
    const exported = await readExportParts(exportBilling(site.context.db, userId))
    expect(exported).toMatchObject({ payment_methods: [], payment_method_consents: [{ revoked_at: now }] })
  })
})
