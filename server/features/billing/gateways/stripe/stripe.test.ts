import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  GatewayRefused,
  type Payment,
  type PaymentGateway,
  type OnSessionCharge,
} from '#server/features/billing/gateways/gateway.ts'
import { describeGatewayContract } from '#server/features/billing/gateways/contract-tests/gateway-contract.ts'
import type { Behaviour } from '#server/features/billing/gateways/contract-tests/gateway-harness.ts'
import { dictOf, StripeApiError } from '#server/testing/fakes/fake-stripe-store.ts'
import { startFakeStripe, type FakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { systemClock } from '#server/platform/clock.ts'
import { createLog } from '#server/platform/log.ts'
import { createStripeGateway } from './stripe-gateway.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

let database: TestDatabase
let fake: FakeStripe
let gateway: PaymentGateway
const log = createLog({ json: true, level: 'silent' })

beforeAll(async () => {
  database = await createTestDatabase()
  fake = await startFakeStripe()
  gateway = createStripeGateway({ ...fake.settings, db: database.db, clock: systemClock, log })
})
// Every idempotency key must have a known prefix, and no two requests may have the same key.
afterEach(() => {
  expect([...fake.keys].filter(([, times]) => times > 1)).toEqual([])
  const ours = /^(pay|method|customer|cancel|detach|ref|one|two|three|yen)\b/
  expect([...fake.keys.keys()].filter((key) => !ours.test(key))).toEqual([])
})
afterAll(async () => {
  await fake.close()
  await database.close()
})

const cards: Record<Behaviour, string> = {
  pays: testCards.pays,
  declined: testCards.declined,
  'no funds': testCards.noFunds,
  asks: testCards.requires3dsAlways,
  'declines later': testCards.declinesRenewals,
}

describeGatewayContract(
  'stripe',
  {
    method: 'card',
    nextStepType: 'authenticate',
    declines: { declined: 'card_declined', 'no funds': 'insufficient_funds' },
    renewalDeclines: { 'declines later': 'card_declined', asks: 'authentication_required' },
    setupDeclines: { declined: 'card_declined', 'no funds': 'insufficient_funds' },
    savedMethod: {
      brand: 'visa',
      last4: '4242',
      expiresAt: new Date('2041-01-01T00:00:00Z'),
      fingerprint: expect.any(String),
    },
    chargesSavedMethods: true,
    isRemote: true,
    invalidWebhooks: ['forged', 'stale', 'altered'],
  },
  () => ({
    gateway,
    async pay(charge, behaviour) {
      const { reference, next } = await gateway.createPayment(charge)
      expect(next).toMatchObject({ type: 'card_form', client_secret: expect.any(String) })
      await fake.confirm(next?.client_secret ?? '', cards[behaviour])
      const payment = await gateway.confirmPayment(reference)
      if (!payment) throw new Error(`${reference} is gone`)
      return payment
    },
    async setUpMethod(request, behaviour) {
      const { reference, next } = await gateway.methodSetups.start(request)
      expect(next).toMatchObject({ type: 'card_form', client_secret: expect.any(String) })
      await fake.confirm(next?.client_secret ?? '', cards[behaviour])
      const setup = await gateway.methodSetups.complete(reference)
      if (!setup) throw new Error(`${reference} is gone`)
      return setup
    },
    async answer(reference, answer) {
      const target = reference.startsWith('seti_') ? fake.setups : fake.store
      target.answerChallenge(reference, answer)
    },
    dispute: async (reference, status) =>
      fake.store.dispute(reference, status === 'open' ? 'needs_response' : status),
    failRefunds: async (reference) => fake.store.failRefunds(reference),
    webhook(reference, kind) {
      const event = fake.events.findLast(
        ({ object }) => object['id'] === reference || object['payment_intent'] === reference,
      )
      const { body, headers } = fake.sign(
        { id: event?.id, object: 'event', type: event?.type, data: { object: event?.object ?? {} } },
        { secret: kind === 'forged' ? 'whsec_other' : undefined, ageSeconds: kind === 'stale' ? 301 : 0 },
      )
      return { body: kind === 'altered' ? Buffer.concat([body, Buffer.from(' ')]) : body, headers }
    },
    simulateFault: (fault) => fake.fail(fault),
  }),
)

const charge = (name: string, more: Partial<OnSessionCharge> = {}): OnSessionCharge => ({
  key: `pay:ord_${name}:1`,
  orderId: `ord_${name}`,
  attemptId: `att_${name}`,
  amountCents: 999,
  currency: 'USD',
  payer: { userId: `usr_${name}`, email: 'viewer@example.com' },
  purchase: '',
  method: 'card',
  save: false,
  returnUrl: '',
  ...more,
})

async function paid(name: string, more: Partial<OnSessionCharge> = {}): Promise<Payment> {
  const { reference, next } = await gateway.createPayment(charge(name, more))
  await fake.confirm(next?.client_secret ?? '', testCards.pays)
  const payment = await gateway.retrievePayment({ reference })
  if (!payment) throw new Error(`${reference} is gone`)
  return payment
}

describe('a customer at Stripe', () => {
  const customersOf = (userId: string) =>
    [...fake.store.customers.values()].filter(({ metadata }) => dictOf(metadata)['user_id'] === userId)

  test('is created once per user, even if orders are paid concurrently', async () => {
    const payer = { userId: 'usr_once', email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' }
    await Promise.all(['c1', 'c2', 'c3'].map((name) => gateway.createPayment(charge(name, { payer }))))
    await gateway.createPayment(charge('c4', { payer: { ...payer, email: 'countess@example.com' } }))
    expect(customersOf('usr_once')).toMatchObject([{ email: 'ada@example.com', name: 'Ada Lovelace' }])
  })

  test('is created again after its deletion at Stripe made one attempt fail', async () => {
    const payer = { userId: 'usr_deleted', email: 'ada@example.com' }
    await gateway.createPayment(charge('d1', { payer }))
    for (const { id } of customersOf('usr_deleted')) fake.store.customers.delete(String(id))
    expect(await gateway.createPayment(charge('d2', { payer }))).toMatchObject({
      status: 'failed',
      decline: 'other',
    })
    expect(await gateway.createPayment(charge('d3', { payer }))).toMatchObject({ status: 'requires_action' })
  })
})

test.each([
  [testCards.expired, 'card_expired'],
  [testCards.badCvc, 'wrong_cvc'],
  ['4000000000009987', 'card_lost'],
])('the decline of card %s is reported as %s', async (card, decline) => {
  const { reference, next } = await gateway.createPayment(charge(`refused${card}`))
  await fake.confirm(next?.client_secret ?? '', card)
  expect(await gateway.confirmPayment(reference)).toMatchObject({ status: 'failed', decline })
})

test('a declined payment is closed, so that it cannot be used to try another card', async () => {
  const { reference, next } = await gateway.createPayment(charge('closed'))
  expect(await fake.confirm(next?.client_secret ?? '', testCards.declined)).toBe(402)
  await gateway.retrievePayment({ reference })
  expect(await fake.confirm(next?.client_secret ?? '', testCards.pays)).toBe(400)
  expect(await gateway.retrievePayment({ reference })).toMatchObject({
    status: 'failed',
    decline: 'card_declined',
  })
})

test('a setup is closed after its card was declined, so that it cannot be used to try another card', async () => {
  const payer = { userId: 'usr_setup', email: 'viewer@example.com' }
  const request = { setupId: 'pmc_closed', payer, method: 'card', returnUrl: '', cancelUrl: '' } as const
  const { reference, next } = await gateway.methodSetups.start({ ...request, key: 'method:pmc_closed' })
  expect(await fake.confirm(next?.client_secret ?? '', testCards.declined)).toBe(402)
  await gateway.methodSetups.retrieve({ reference })
  expect(await fake.confirm(next?.client_secret ?? '', testCards.pays)).toBe(400)
  expect(await gateway.methodSetups.retrieve({ reference })).toMatchObject({
    status: 'failed',
    decline: 'card_declined',
  })
})

test('a declined payment of another shop at the same account remains open for another card', async () => {
  const intent = fake.store.createIntent({
    amount: '999',
    currency: 'usd',
    allowed_payment_method_types: ['card'],
    metadata: {},
  })
  expect(await fake.confirm(String(intent['client_secret']), testCards.declined)).toBe(402)
  await gateway.retrievePayment({ reference: String(intent['id']) })
  expect(await fake.confirm(String(intent['client_secret']), testCards.pays)).toBe(200)
})

test('a payment fails if Stripe refuses to create it, and the log has the reason', async () => {
  const reported = vi.spyOn(log, 'error')
  const tooSmall = charge('small', { amountCents: 49 })
  expect(await gateway.createPayment(tooSmall)).toMatchObject({ status: 'failed', decline: 'other' })
  expect(reported.mock.calls).toMatchObject([
    [{ code: 'amount_too_small', attempt: 'att_small' }, expect.any(String)],
  ])
  expect(gateway.acceptsAmount?.(49, 'USD')).toBe(false)
  reported.mockRestore()
})

test('a card is not reported as detached if Stripe refuses to detach it and still has it', async () => {
  const { method } = await paid('detached', { save: true })
  const reference = method?.reference ?? ''
  const refusing = vi.spyOn(fake.store, 'detach').mockImplementationOnce(() => {
    throw new StripeApiError(400, { type: 'invalid_request_error', message: 'Upgrade your API version.' })
  })
  onTestFinished(() => refusing.mockRestore())
  await expect(gateway.detachMethod(reference)).rejects.toThrow('Upgrade')
  expect(await gateway.isMethodAttached(reference)).toBe(true)
  await gateway.detachMethod(reference)
  expect(await gateway.isMethodAttached(reference)).toBe(false)
  await gateway.detachMethod(reference)
})

test('yen amounts are converted from and to Stripe’s whole yen', async () => {
  const payment = await paid('yen', { currency: 'JPY', amountCents: 50_000 })
  expect(fake.store.intent(payment.reference)).toMatchObject({ amount: 500, currency: 'jpy' })
  expect(payment).toMatchObject({ amountCents: 50_000, currency: 'JPY' })
  await gateway.refundPayment({ reference: payment.reference, amountCents: 20_000, key: 'yen' })
  expect(await gateway.retrievePayment(payment)).toMatchObject({ refundedCents: 20_000 })
})

test('after Stripe has forgotten the idempotency key of a refund, the same request does not refund again', async () => {
  const { reference } = await paid('expired')
  const refund = { reference, amountCents: 400, key: 'ref:expired' }
  await gateway.refundPayment(refund)
  fake.clearIdempotencyKeys()
  await gateway.refundPayment(refund)
  await expect(gateway.refundPayment({ ...refund, amountCents: 300 })).rejects.toThrow(GatewayRefused)
  expect(await gateway.retrievePayment({ reference })).toMatchObject({ refundedCents: 400 })
})

test('a payment has the status of its dispute, and an inquiry of the bank is no dispute', async () => {
  const { reference } = await paid('disputed')
  const states = []
  for (const status of ['warning_needs_response', 'needs_response', 'won', 'lost'] as const) {
    fake.store.dispute(reference, status)
    states.push((await gateway.retrievePayment({ reference }))?.dispute)
  }
  expect(states).toEqual([undefined, 'open', 'won', 'lost'])
})

test('refunds and disputes are listed even if they are much later than their payment', async () => {
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  const other = await startFakeStripe(clock)
  onTestFinished(() => other.close())
  const slow = createStripeGateway({ ...other.settings, db: database.db, clock, log })
  const references: string[] = []
  for (const name of ['l1', 'l2', 'l3']) {
    const { reference, next } = await slow.createPayment(
      charge(name, { payer: { userId: `usr_${name}`, email: `${name}@example.com` } }),
    )
    await other.confirm(next?.client_secret ?? '', testCards.pays)
    references.push(reference)
  }
  const [refunded = '', disputed = '', untouched] = references
  now += 90 * 86_400_000
  await slow.refundPayment({ reference: refunded, amountCents: 400, key: 'ref:late' })
  other.store.dispute(disputed, 'needs_response')
  const listed = await listAllPayments(slow, new Date(now - 60_000))
  expect(listed.find(({ reference }) => reference === refunded)).toMatchObject({ refundedCents: 400 })
  expect(listed.find(({ reference }) => reference === disputed)).toMatchObject({ dispute: 'open' })
  expect(listed.map(({ reference }) => reference)).not.toContain(untouched)
})

test('the refunds of listed payments are read from the list of refunds, unless the list does not have all of them', async () => {
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  const other = await startFakeStripe(clock)
  onTestFinished(() => other.close())
  const slow = createStripeGateway({ ...other.settings, db: database.db, clock, log })
  const pay = async (name: string) => {
    const payer = { userId: `usr_${name}`, email: `${name}@example.com` }
    const { reference, next } = await slow.createPayment(charge(name, { payer }))
    await other.confirm(next?.client_secret ?? '', testCards.pays)
    return reference
  }
  const refund = (reference: string, amountCents: number) =>
    slow.refundPayment({ reference, amountCents, key: `ref:${reference}:${amountCents}` })
  const longAgo = await pay('m1')
  await refund(longAgo, 100)
  now += 90 * 86_400_000
  const [done, pending, failed] = [await pay('m2'), await pay('m3'), await pay('m4')]
  for (const reference of [longAgo, done, pending, failed]) await refund(reference, 200)
  other.store.failRefunds(failed)
  await refund(failed, 300)
  const refundOf = (reference: string) =>
    other.store.refunds.filter(({ payment_intent }) => payment_intent === reference)
  for (const each of [...refundOf(longAgo).slice(0, 1), ...refundOf(pending)]) each.status = 'pending'
  const requestsBefore = other.requests.length
  const listed = await listAllPayments(slow, new Date(now - 60_000))
  const isPending = (reference: string) =>
    listed.find((payment) => payment.reference === reference)?.refundPending
  expect([longAgo, done, pending, failed].map(isPending)).toEqual([true, undefined, true, undefined])
  const lookedUp = other.requests
    .slice(requestsBefore)
    .filter(({ path, params }) => path === '/v1/refunds' && params['payment_intent'] !== undefined)
  expect(lookedUp.map(({ params }) => params['payment_intent'])).toEqual([longAgo])
})

describe('an event of Stripe’s webhook', () => {
  const read = (object: object, signed: Parameters<FakeStripe['sign']>[1] = {}) => {
    const { body, headers } = fake.sign({ id: 'evt_1', type: 'some', data: { object } }, signed)
    return gateway.parseWebhook(body, headers)
  }

  test.each([
    ['a refund', { id: 're_1', object: 'refund', payment_intent: 'pi_1' }, 'pi_1'],
    ['a charge', { id: 'ch_1', object: 'charge', payment_intent: 'pi_1' }, 'pi_1'],
    ['a dispute', { id: 'dp_1', object: 'dispute', payment_intent: 'pi_1' }, 'pi_1'],
    ['a payment', { id: 'pi_1', object: 'payment_intent' }, 'pi_1'],
    ['a detached card', { id: 'pm_1', object: 'payment_method' }, 'pm_1'],
  ])('about %s contains the id of the payment or card', async (_, object, reference) => {
    expect(read(object)).toEqual({ eventId: 'evt_1', reference })
  })

  test('about an unrelated object finds no payment, without a request to Stripe', async () => {
    const requestCount = fake.requests.length
    expect(await gateway.retrievePayment({ reference: 'pm_1' })).toBeNull()
    expect(fake.requests).toHaveLength(requestCount)
  })

  test('is accepted with either the old or the new secret during a rotation', () => {
    const settings = { ...fake.settings, webhookSecrets: ['whsec_new', 'whsec_fake'] }
    const rotating = createStripeGateway({ ...settings, db: database.db, clock: systemClock, log })
    for (const secret of settings.webhookSecrets) {
      const { body, headers } = fake.sign({ id: 'evt_2', data: { object: { id: 'pi_2' } } }, { secret })
      expect(rotating.parseWebhook(body, headers)).toMatchObject({ reference: 'pi_2' })
    }
  })

  test('is accepted until it is 300 seconds old', () => {
    expect(read({ id: 'pi_1' }, { ageSeconds: 299 })).toMatchObject({ reference: 'pi_1' })
  })
})
