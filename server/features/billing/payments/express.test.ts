import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createOrder, payOrder, type Order } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import {
  attemptsOf,
  episodeIdOf,
  expectLedgerBalanced,
  startBillingSite,
  paymentOf,
  playbackCode,
  runJanitorAfter,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

/** Pays as an express wallet does: with the token from its sheet, and without a typed name. */
function approve({ visitor }: Shopper, order_id: string, payment_token: string, headers = {}) {
  return visitor.call(payOrder, { body: { order_id, payment_token }, headers }).then(({ answer }) => answer)
}

/** Creates an order with the price and the e-mail address of the wallet's sheet, and pays it. */
async function buy(person: Shopper, card = testCards.pays, params: object = {}) {
  const order = await person.order({ episode_id: episodeIdOf(site), amount_cents: 99, ...params })
  return { order, answer: await approve(person, order.id, await person.cardToken(card)) }
}

describe('an express wallet payment', () => {
  test('needs no typed name, and its receipt is sent to the address of the wallet', async () => {
    const person = await Shopper.create(site)
    const { answer } = await buy(person)
    expect(answer).toMatchObject({ code: 200, info: { status: 'paid', amount_cents: 99 } })
    expect(await playbackCode(site, person)).toBe(200)
    expect((await site.mails(person.email)).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Your receipt: /),
    ])
  })

  test.each(['', 'no address', '4242424242424242@example.com', undefined])(
    'is refused for the address %s, because addresses of wallets are validated like typed ones',
    async (email) => {
      const person = await Shopper.create(site)
      const { createPayment = 0 } = site.calls
      const answer = await person.tryOrder({ episode_id: episodeIdOf(site), email })
      expect(answer.code).toBe(500)
      expect(site.calls['createPayment'] ?? 0).toBe(createPayment)
    },
  )

  test('is refused if the price changed while the sheet was open, and the new price is returned', async () => {
    const person = await Shopper.create(site)
    const answer = await person.tryOrder({ episode_id: episodeIdOf(site), amount_cents: 89 })
    expect(answer).toMatchObject({ code: 409, info: { amount_cents: 99, currency: 'USD' } })
  })

  test('has the regular price if the wallet’s address already got the introductory price', async () => {
    const plan = (person: Shopper, amount_cents?: number) =>
      person.plan(7).then(({ id }) => ({ kind: 'plan' as const, plan_id: id, amount_cents }))
    const first = await Shopper.create(site)
    const { intro_price_cents: intro, price_cents } = await first.plan(7)
    expect(intro).toBeDefined()
    expect((await buy(first, testCards.pays, await plan(first, intro))).answer.info?.status).toBe('paid')
    const again = await Shopper.create(site)
    const orderParams = { ...(await plan(again, intro)), email: first.email }
    expect(await again.tryOrder(orderParams)).toMatchObject({
      code: 409,
      info: { amount_cents: price_cents },
    })
    const { answer } = await buy(again, testCards.pays, { ...orderParams, amount_cents: price_cents })
    expect(answer.info).toMatchObject({ status: 'paid', amount_cents: price_cents })
  })

  test('for a plan stores the terms shown beside the button, and saves the card for renewals', async () => {
    const person = await Shopper.create(site)
    const { id: plan_id, price_cents } = await person.plan(30)
    const consent = { terms_text: 'Monthly. Renews every 30 days until you cancel. [Express checkout]' }
    const orderParams = { kind: 'plan', plan_id, amount_cents: price_cents, consent }
    const { order, answer } = await buy(person, testCards.pays, orderParams)
    expect(answer.info?.status).toBe('paid')
    const row = await site.context.db
      .selectFrom('orders')
      .select('consent')
      .where('id', '=', order.id)
      .executeTakeFirstOrThrow()
    expect(row.consent).toMatchObject({ immediate_delivery: false, terms_hash: expect.any(String) })
    site.advanceClock(30 * day)
    await renewDueSubscriptions(site.context)
    const { membership } = await person.visitor.callOk(getUser)
    expect(membership).toMatchObject({ status: 'active' })
    expect(site.calls['chargeSavedMethod']).toBeGreaterThan(0)
  })

  test('for a one-off purchase does not save the card', async () => {
    const person = await Shopper.create(site)
    const { order } = await buy(person)
    expect((await paymentOf(site, order.id)).method).toBeUndefined()
  })
})

describe('an express wallet', () => {
  test('can pay after a declined attempt, which shows the reason and leaves the order open', async () => {
    const person = await Shopper.create(site)
    const { order, answer } = await buy(person, testCards.noFunds)
    expect(answer).toMatchObject({ code: 500, message: /Insufficient funds/ })
    expect(await playbackCode(site, person)).toBe(402)
    expect((await approve(person, order.id, await person.cardToken())).info?.status).toBe('paid')
    expect(await attemptsOf(site, order.id)).toMatchObject([{ status: 'failed' }, { status: 'succeeded' }])
  })

  test.each([
    ['yes', { status: 'paid' }],
    ['no', { status: 'pending', declined: { reason: 'bankAuthenticationFailed' } }],
  ] as const)(
    'waits for the user if the bank requires 3-D Secure, and uses the answer "%s"',
    async (bankAnswer, outcome) => {
      const person = await Shopper.create(site)
      const { order, answer } = await buy(person, testCards.requires3dsAlways)
      expect(answer.info?.next.type).toBe('authenticate')
      await person.answerBankPage(answer.info?.next.url ?? '', bankAnswer)
      expect(await person.getOrder(order.id)).toMatchObject(outcome)
    },
  )

  test.each([
    ['different keys', (index: number) => ({ 'idempotency-key': `press ${index}` })],
    ['one key', () => ({ 'idempotency-key': 'one press' })],
    ['no key', () => ({})],
  ])('is charged once for 20 concurrent approvals with %s', async (_, headersOf) => {
    const person = await Shopper.create(site)
    const order = await person.order({ episode_id: episodeIdOf(site) })
    const token = await person.cardToken()
    const { createPayment = 0 } = site.calls
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => approve(person, order.id, token, headersOf(index))),
    )
    expect(answers.map(({ info }) => info?.status)).toEqual(answers.map(() => 'paid'))
    expect(site.calls['createPayment']).toBe(createPayment + 1)
  })

  test('is charged once, and the payment is found, if the response is lost', async () => {
    const person = await Shopper.create(site)
    const order = await person.order({ episode_id: episodeIdOf(site) })
    site.gatewayOverrides.createPayment = async (charge) => {
      await site.sandboxGateway.createPayment(charge)
      throw new Error('the line broke')
    }
    const token = await person.cardToken()
    expect(await approve(person, order.id, token)).toMatchObject({ code: 500 })
    delete site.gatewayOverrides.createPayment
    await runJanitorAfter(site, 60_000)
    expect(await person.getOrder(order.id)).toMatchObject({ status: 'paid' })
    expect((await paymentOf(site, order.id)).refundedCents).toBe(0)
  })

  test('is not charged for a product that was bought in another tab in the meantime', async () => {
    const person = await Shopper.create(site)
    const [first, second] = [
      await person.order({ episode_id: episodeIdOf(site) }),
      await person.order({ episode_id: episodeIdOf(site) }),
    ]
    const paid = async ({ id }: Order) => approve(person, id, await person.cardToken())
    expect((await paid(first)).info?.status).toBe('paid')
    const { createPayment = 0 } = site.calls
    expect(await paid(second)).toMatchObject({ code: 409 })
    expect(site.calls['createPayment']).toBe(createPayment)
    const orderParams = {
      kind: 'episode' as const,
      episode_id: episodeIdOf(site),
      gateway: 'sandbox' as const,
    }
    const again = await person.visitor.call(createOrder, { body: { ...orderParams, email: person.email } })
    expect(again.answer.code).toBe(409)
  })
})

test.each([
  ['en', 'Pay {amount}'],
  ['dy', '{amount} bezahlen'],
])(
  "the sandbox's sheet in %s names the test cards, and can be framed only by this site",
  async (lang, label) => {
    const answer = await site.visitor().fetch(`/sandbox/express?lang=${lang}`)
    const html = await answer.text()
    expect(html).toContain(`data-label="${label}"`)
    expect(html.match(/•••• \d{4}</g)).toHaveLength(Object.keys(testCards).length)
    expect(answer.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*frame-ancestors 'self'/,
    )
    const script = await site.visitor().fetch('/sandbox/express.js')
    expect(await script.text()).not.toMatch(/: (string|boolean)\b/)
  },
)
