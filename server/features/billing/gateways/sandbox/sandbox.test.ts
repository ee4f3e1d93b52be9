import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeGatewayContract } from '#server/features/billing/gateways/contract-tests/gateway-contract.ts'
import type {
  Behaviour,
  GatewayHarness,
  GatewayTraits,
  WebhookKind,
} from '#server/features/billing/gateways/contract-tests/gateway-harness.ts'
import type { DisputeStatus } from '#server/features/billing/statuses.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { checkCard } from './check-card.ts'
import { signEvent } from './webhooks.ts'
import { failRefunds } from './queries.ts'
import { simulateDispute } from './sandbox-gateway.ts'

let site: TestSite
let shopper: Shopper

beforeAll(async () => {
  site = await startTestSite()
  shopper = await Shopper.create(site)
})
afterAll(() => site.close())

const cards: Record<Behaviour, string> = {
  pays: testCards.pays,
  declined: testCards.declined,
  'no funds': testCards.noFunds,
  asks: testCards.requires3dsAlways,
  'declines later': testCards.declinesRenewals,
}

function gatewayOfSite() {
  const gateway = site.context.gateways[0]
  if (!gateway) throw new Error('the sandbox is not offered')
  return gateway
}

/** Sends the user's answer to the bank's 3-D Secure challenge or to the wallet's confirmation page. */
async function answer(reference: string, bankAnswer: 'yes' | 'no') {
  const gateway = gatewayOfSite()
  const waiting =
    (await gateway.retrievePayment({ reference })) ?? (await gateway.methodSetups.retrieve({ reference }))
  if (waiting?.next?.url) await shopper.answerBankPage(waiting.next.url, bankAnswer)
}

function webhook(reference: string, kind: WebhookKind) {
  const { secret, clock } = site.context
  const sent = { now: () => new Date(clock.now().getTime() - (kind === 'stale' ? 301_000 : 0)) }
  const signer = { secret: kind === 'forged' ? `not ${secret}` : secret, clock: sent }
  const { body, headers } = signEvent(signer, reference)
  return { body: Buffer.from(kind === 'altered' ? `${body} ` : body), headers }
}

const goingBack: Pick<GatewayHarness, 'dispute' | 'failRefunds'> = {
  dispute: (reference, status) => simulateDispute({ ...site.context, notify: () => {} }, reference, status),
  failRefunds: (reference) => failRefunds(site.context.db, reference, new Date()),
}

const inOurProcess: Pick<GatewayTraits, 'isRemote' | 'invalidWebhooks'> = {
  isRemote: false,
  invalidWebhooks: ['forged', 'stale', 'altered'],
}

describeGatewayContract(
  'sandbox, by card',
  {
    ...inOurProcess,
    method: 'card',
    nextStepType: 'authenticate',
    declines: { declined: 'card_declined', 'no funds': 'insufficient_funds' },
    renewalDeclines: { 'declines later': 'card_expired', asks: 'authentication_required' },
    setupDeclines: { declined: 'card_declined', 'no funds': 'insufficient_funds' },
    savedMethod: { brand: 'visa', last4: '4242', expiresAt: new Date('2041-01-01T00:00:00Z') },
    chargesSavedMethods: true,
  },
  () => ({
    gateway: gatewayOfSite(),
    pay: async (charge, behaviour) =>
      gatewayOfSite().createPayment({ ...charge, token: await shopper.cardToken(cards[behaviour]) }),
    setUpMethod: async (request, behaviour) =>
      gatewayOfSite().methodSetups.start({ ...request, token: await shopper.cardToken(cards[behaviour]) }),
    answer,
    webhook,
    ...goingBack,
  }),
)

describeGatewayContract(
  'sandbox, by wallet',
  {
    ...inOurProcess,
    method: 'wallet',
    nextStepType: 'redirect',
    declines: {},
    renewalDeclines: {},
    setupDeclines: {},
    savedMethod: { brand: 'wallet', last4: null },
  },
  () => ({
    gateway: gatewayOfSite(),
    async pay(charge, behaviour) {
      const waiting = await gatewayOfSite().createPayment(charge)
      if (behaviour === 'pays') await answer(waiting.reference, 'yes')
      return (await gatewayOfSite().confirmPayment(waiting.reference)) ?? waiting
    },
    async setUpMethod(request, behaviour) {
      const waiting = await gatewayOfSite().methodSetups.start(request)
      if (behaviour === 'pays') await answer(waiting.reference, 'yes')
      return (await gatewayOfSite().methodSetups.complete(waiting.reference)) ?? waiting
    },
    answer,
    webhook,
    ...goingBack,
  }),
)

function tokenize(card: Record<string, unknown>): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return shopper.visitor.fetch('/sandbox/tokens', { method: 'POST', headers, body: JSON.stringify(card) })
}
const card = { number: '4242 4242 4242 4242', expiry: '12 / 40', cvv: '123' }

describe("the sandbox's card frame", () => {
  test('returns a token, the brand and the last four digits for a card', async () => {
    const response = await tokenize(card)
    expect([response.status, await response.json()]).toEqual([
      200,
      { token: expect.stringMatching(/^stok_/), brand: 'visa', last4: '4242' },
    ])
  })

  test.each([
    ['number', { number: '4242 4242 4242 4241' }, 'Check the card number.'],
    ['number', { number: '5555 5555 5555 4444' }, expect.stringContaining('use a test card such as 4242')],
    ['expiry', { expiry: '12 / 20' }, expect.stringContaining('expir')],
    ['expiry', { expiry: '13 / 30' }, 'Check the expiry date: MM / YY.'],
    ['cvv', { cvv: '12' }, 'Enter the 3-digit code (4 on Amex).'],
  ])('names the field that has a mistake: %s %o', async (field, change, message) => {
    const response = await tokenize({ ...card, ...change })
    expect([response.status, await response.json()]).toEqual([200, { field, message }])
  })

  test('accepts an expiry in the current month and refuses one in the previous month', () => {
    vi.useFakeTimers({ now: new Date('2026-06-15T12:00:00Z'), toFake: ['Date'] })
    expect([
      checkCard({ ...card, expiry: '06 / 26' }).ok,
      checkCard({ ...card, expiry: '05 / 26' }).ok,
    ]).toEqual([true, false])
    vi.useRealTimers()
  })

  test('refuses a card number that is not a string', async () => {
    expect((await tokenize({ number: 4242 })).status).toBe(400)
  })

  test('refuses an invalid body, and the response does not repeat its contents', async () => {
    const headers = { 'content-type': 'application/json' }
    const response = await shopper.visitor.fetch('/sandbox/tokens', {
      method: 'POST',
      headers,
      body: `{"number":"${testCards.pays}"`,
    })
    expect(response.status).toBe(400)
    expect(await response.text()).not.toContain(testCards.pays)
  })

  test('loads no third-party content, runs no inline script, and can be framed only by this site', async () => {
    const response = await shopper.visitor.fetch('/sandbox/card')
    const policy = response.headers.get('content-security-policy')
    expect(policy).toMatch(/default-src 'none'.*script-src 'self'.*frame-ancestors 'self'/)
    const html = await response.text()
    expect(html).not.toMatch(/<script(?![^>]*src=)/)
    for (const name of ['cc-number', 'cc-exp', 'cc-csc']) expect(html).toContain(`autocomplete="${name}"`)
    const script = await shopper.visitor.fetch('/sandbox/card.js')
    expect([script.status, script.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
  })

  test('uses the language of the parent page in its labels and errors', async () => {
    const response = await shopper.visitor.fetch('/sandbox/card?lang=dy')
    const html = await response.text()
    expect(html).toContain('<html lang="de"')
    expect(html).toContain('Kartennummer')
    const refused = await shopper.visitor.fetch('/sandbox/tokens?lang=dy', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ number: '4111 1111 1111 1112', expiry: '12 / 40', cvv: '123' }),
    })
    expect(await refused.json()).toMatchObject({
      field: 'number',
      message: expect.stringContaining('Kartennummer'),
    })
  })

  test('stores a card’s behaviour, brand and last four digits, but no number, expiry or code in any table', async () => {
    await shopper.cardToken(testCards.disputed)
    const { rows } = await site.context.database.pool.query<{ dump: string }>(
      `SELECT query_to_xml('SELECT * FROM ' || quote_ident(tablename), false, false, '')::text AS dump FROM pg_tables WHERE schemaname = 'public'`,
    )
    const dump = rows.map((row) => row.dump).join('\n')
    expect(dump).toContain('<last4>0259</last4>')
    expect(dump).not.toMatch(/4000000000000259|4242424242424242|12 \/ 40/)
  })

  test('returns a token that is valid for 15 minutes', async () => {
    const token = await shopper.cardToken()
    const { expires_at } = await site.context.db
      .selectFrom('sandbox_tokens')
      .select('expires_at')
      .where('token', '=', token)
      .executeTakeFirstOrThrow()
    expect(Math.round((expires_at.getTime() - Date.now()) / 60_000)).toBe(15)
    await site.context.db
      .updateTable('sandbox_tokens')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('token', '=', token)
      .execute()
    const gateway = site.context.gateways[0]
    const paymentRequest = {
      key: 'late',
      orderId: 'o',
      attemptId: 'a',
      amountCents: 1,
      currency: 'USD',
      payer: { userId: 'u', email: 'e' },
      purchase: '',
      method: 'card' as const,
      save: false,
      returnUrl: '',
      token,
    }
    expect(await gateway?.createPayment(paymentRequest)).toMatchObject({
      status: 'failed',
      decline: 'token_already_used',
    })
  })
})

test('a dispute that is opened again does not include the amount that was refunded in the meantime', async () => {
  const gateway = gatewayOfSite()
  const { reference } = await gateway.createPayment({
    key: 'disputed twice',
    orderId: 'o',
    attemptId: 'a',
    amountCents: 999,
    currency: 'USD',
    payer: { userId: 'u', email: 'e' },
    purchase: '',
    method: 'card',
    save: false,
    returnUrl: '',
    token: await shopper.cardToken(),
  })
  const disputedAfter = async (status: DisputeStatus) => {
    await goingBack.dispute(reference, status)
    return (await gateway.retrievePayment({ reference }))?.disputedCents
  }
  expect(await disputedAfter('open')).toBe(999)
  expect(await disputedAfter('won')).toBe(999)
  await gateway.refundPayment({ reference, key: `ref:${reference}`, amountCents: 400 })
  expect(await disputedAfter('open')).toBe(599)
  expect(await disputedAfter('lost')).toBe(599)
})

test('an old webhook event is refused, even if its signature is correct', async () => {
  const { body, headers } = signEvent(
    { ...site.context, clock: { now: () => new Date(Date.now() - 301_000) } },
    'spay_1',
  )
  const response = await shopper.visitor.fetch('/api/webhook/payment/sandbox', {
    method: 'POST',
    body,
    headers,
  })
  expect(response.status).toBe(400)
})
