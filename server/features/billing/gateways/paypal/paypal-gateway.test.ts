import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { describeGatewayContract } from '#server/features/billing/gateways/contract-tests/gateway-contract.ts'
import type { Behaviour } from '#server/features/billing/gateways/contract-tests/gateway-harness.ts'
import { createLog } from '#server/platform/log.ts'
import { payerEmail, type Funding } from './fake/fake-orders.ts'
import { FakePaypal } from './fake/fake-paypal.ts'
import { createPaypalGateway } from './paypal-gateway.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

let paypal: FakePaypal
let gateway: PaymentGateway

beforeAll(async () => {
  paypal = await FakePaypal.start()
  const { PAYPAL_CLIENT_ID: clientId, PAYPAL_CLIENT_SECRET: clientSecret, PAYPAL_WEBHOOK_ID } = paypal.keys
  gateway = createPaypalGateway({
    settings: { clientId, clientSecret, webhookId: PAYPAL_WEBHOOK_ID, apiBase: paypal.url },
    publicUrl: 'http://localhost:3000',
    clock: { now: () => new Date(Date.now() + paypal.clockOffsetMs) },
    log: createLog({ json: true, level: 'silent' }),
  })
})
afterAll(() => paypal.close())

const fundings: Partial<Record<Behaviour, Funding>> = {
  pays: 'pays',
  declined: 'declined',
  'declines later': 'pays once',
}
const fiveDaysMs = 5 * 86_400_000

describeGatewayContract(
  'paypal',
  {
    method: 'wallet',
    nextStepType: 'redirect',
    declines: { declined: 'wallet_declined' },
    renewalDeclines: { 'declines later': 'wallet_declined' },
    setupDeclines: {},
    email: payerEmail,
    savedMethod: { brand: 'paypal', last4: null, fingerprint: expect.any(String) },
    isRemote: true,
    invalidWebhooks: ['forged', 'stale', 'altered'],
    // PayPal can neither search for orders nor cancel them (docs/decisions/0010).
    discardsUnpaid: true,
  },
  () => ({
    gateway,
    async pay(charge, behaviour) {
      const waiting = await gateway.createPayment(charge)
      const funding = fundings[behaviour]
      if (funding === undefined) return waiting
      paypal.orders.approve(waiting.reference, funding)
      return (await gateway.confirmPayment(waiting.reference)) ?? waiting
    },
    async setUpMethod(request, behaviour) {
      const waiting = await gateway.methodSetups.start(request)
      if (behaviour === 'asks') return waiting
      paypal.setups.approve(waiting.reference)
      return (await gateway.methodSetups.complete(waiting.reference)) ?? waiting
    },
    async answer(reference, answer) {
      if (answer === 'no') return
      if (paypal.setups.all.has(reference)) paypal.setups.approve(reference)
      else paypal.orders.approve(reference)
    },
    dispute: async (reference, status) => paypal.orders.dispute(reference, status, new Date()),
    failRefunds: async (reference) => paypal.orders.failRefunds(reference),
    webhook(reference, kind) {
      const { captures } = paypal.orders.get(reference)
      // Events about refunds and disputes contain the id of the capture.
      const names = [reference, ...captures.map(({ id }) => id)]
      const event =
        paypal.events.find(({ resource }) => {
          const about = JSON.stringify(resource)
          return names.some((name) => about.includes(name))
        }) ?? {}
      const { body, headers } = paypal.signed(event, {
        ...(kind === 'stale' ? { at: new Date(Date.now() - fiveDaysMs) } : {}),
        ...(kind === 'forged' ? { signer: 'somebody else' } : {}),
      })
      return { body: kind === 'altered' ? Buffer.from(`${body} `) : body, headers }
    },
    simulateFault(fault) {
      paypal.fault = {
        on: /^POST \/(v2\/checkout\/orders|v2\/payments\/captures\/.*\/refund|v3\/vault\/setup-tokens)$/,
        with: [fault],
      }
      return () => paypal.recover()
    },
  }),
)

describe('a wallet that is saved without a payment', () => {
  let setupCount = 0
  const start = () => {
    const setupId = `pmc_kept${++setupCount}`
    const back = 'http://localhost/my'
    const payer = { userId: 'usr_kept', email: 'viewer@example.com' }
    const request = { setupId, payer, method: 'wallet', returnUrl: back, cancelUrl: back } as const
    return gateway.methodSetups.start({ ...request, key: `method:${setupId}` })
  }

  test.each(['500 after', 'dropped after'] as const)(
    'is saved once if PayPal has forgotten the idempotency key of a request that failed with "%s"',
    async (fault) => {
      const { reference } = await start()
      paypal.setups.approve(reference)
      paypal.fault = { on: /^POST .*payment-tokens$/, with: [fault] }
      await expect(gateway.methodSetups.complete(reference)).rejects.toThrow()
      paypal.recover()
      paypal.clockOffsetMs = 7 * 3_600_000
      const setup = await gateway.methodSetups.complete(reference)
      paypal.clockOffsetMs = 0
      expect(setup).toMatchObject({
        status: 'succeeded',
        method: { reference: paypal.setups.get(reference).vaultId },
      })
    },
  )

  test('is saved if the user cancels the setup after the approval', async () => {
    const { reference } = await start()
    paypal.setups.approve(reference)
    expect(await gateway.methodSetups.cancel(reference)).toMatchObject({ status: 'succeeded' })
  })

  test('is not saved if PayPal deleted it after the approval', async () => {
    const { reference } = await start()
    paypal.setups.approve(reference)
    await gateway.methodSetups.complete(reference)
    paypal.orders.vault.delete(paypal.setups.get(reference).vaultId ?? '')
    paypal.clockOffsetMs = 7 * 3_600_000
    expect(await gateway.methodSetups.complete(reference)).toMatchObject({ status: 'failed' })
    paypal.clockOffsetMs = 0
  })
})

test('an attempt that was already paid under another PayPal order is not charged again, and gets that payment', async () => {
  const charge = {
    orderId: 'ord_twice',
    attemptId: 'att_twice',
    amountCents: 999,
    currency: 'USD',
    payer: { userId: 'usr_twice', email: 'viewer@example.com' },
    purchase: '',
    method: 'wallet' as const,
    save: false,
    returnUrl: 'http://localhost/order/result',
  }
  // PayPal's events are searched by the site's clock, not by the machine's clock.
  paypal.clockOffsetMs = fiveDaysMs
  onTestFinished(() => void (paypal.clockOffsetMs = 0))
  const first = await gateway.createPayment({ ...charge, key: 'pay:ord_twice:1' })
  const second = await gateway.createPayment({ ...charge, key: 'pay:ord_twice:2' })
  for (const { reference } of [first, second]) paypal.orders.approve(reference)
  await gateway.confirmPayment(first.reference)
  const confirmed = await gateway.confirmPayment(second.reference)
  expect(confirmed).toMatchObject({ status: 'succeeded', reference: first.reference })
})

describe('a refund or dispute at PayPal', () => {
  let scenarioCount = 0
  async function paid(): Promise<string> {
    const name = `back${++scenarioCount}`
    const { reference } = await gateway.createPayment({
      key: `pay:${name}:1`,
      orderId: `ord_${name}`,
      attemptId: `att_${name}`,
      amountCents: 999,
      currency: 'USD',
      payer: { userId: `usr_${name}`, email: 'viewer@example.com' },
      purchase: '',
      method: 'wallet',
      save: false,
      returnUrl: 'http://localhost/order/result',
    })
    paypal.orders.approve(reference)
    await gateway.confirmPayment(reference)
    return reference
  }

  test.each([
    ['RESOLVED_BUYER_FAVOUR', 'lost'],
    ['ACCEPTED', 'lost'],
    ['RESOLVED_SELLER_FAVOUR', 'won'],
    ['RESOLVED_WITH_PAYOUT', 'won'],
    ['CANCELED_BY_BUYER', 'won'],
    ['DENIED', 'won'],
  ])('with the outcome %s is %s', async (outcome_code, result) => {
    const reference = await paid()
    paypal.orders.dispute(reference, 'lost', new Date())
    const [capture] = paypal.orders.get(reference).captures
    Object.assign(paypal.orders.disputes.get(capture?.id ?? '') ?? {}, { dispute_outcome: { outcome_code } })
    expect(await gateway.retrievePayment({ reference })).toMatchObject({ dispute: result })
  })

  test('is listed even if the payment was made long before it', async () => {
    const [refunded, disputed, untouched] = [await paid(), await paid(), await paid()]
    paypal.clockOffsetMs = 20 * 86_400_000
    const later = new Date(Date.now() + paypal.clockOffsetMs - 60_000)
    await gateway.refundPayment({ reference: refunded, amountCents: 400, key: 'late' })
    paypal.orders.dispute(disputed, 'open', new Date(Date.now() + paypal.clockOffsetMs))
    const listed = await listAllPayments(gateway, later)
    paypal.clockOffsetMs = 0
    expect(listed.find(({ reference }) => reference === refunded)).toMatchObject({ refundedCents: 400 })
    expect(listed.find(({ reference }) => reference === disputed)).toMatchObject({ dispute: 'open' })
    expect(listed.map(({ reference }) => reference)).not.toContain(untouched)
  })

  test('is listed even if its payment is booked, but booked payments without changes are not read', async () => {
    const since = new Date(Date.now() - 1000)
    const [still, refunded] = [await paid(), await paid()]
    await gateway.refundPayment({ reference: refunded, amountCents: 400, key: 'settled' })
    const before = paypal.requests.length
    const listed = await listAllPayments(gateway, since, async (references) => new Set(references))
    const read = paypal.requests.slice(before).map(({ path }) => path)
    expect(listed.map(({ reference }) => reference)).toContain(refunded)
    expect(listed.map(({ reference }) => reference)).not.toContain(still)
    expect(read).not.toContain(`/v2/checkout/orders/${still}`)
  })

  /** Creates a payment with two disputes: an earlier one that was won, and one that is open. */
  async function paidAndDisputedTwice() {
    const reference = await paid()
    paypal.orders.dispute(reference, 'open', new Date())
    const latest = paypal.orders.disputes.get(paypal.orders.get(reference).captures[0]?.id ?? '')
    if (!latest) throw new Error('the payment is not disputed')
    paypal.orders.disputes.set('earlier', {
      ...latest,
      dispute_id: 'PP-D-EARLIER',
      create_time: new Date(Date.now() - 60_000).toISOString(),
      status: 'RESOLVED',
      dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' },
    })
    onTestFinished(() => void paypal.orders.disputes.delete('earlier'))
    return { reference, latestId: latest.dispute_id }
  }

  test('is reported only if it is the latest of several disputes of a payment', async () => {
    const since = new Date(Date.now() - 3_600_000)
    const { reference, latestId } = await paidAndDisputedTwice()
    const expected = { dispute: 'open', disputeDetails: { reference: latestId } }
    for (const listed of [await listAllPayments(gateway, since), await gateway.listDisputedPayments?.(since)])
      expect(listed?.find((payment) => payment.reference === reference)).toMatchObject(expected)
  })

  test('is reported as unread if it is the latest of several disputes and cannot be read', async () => {
    const since = new Date(Date.now() - 3_600_000)
    const { reference, latestId } = await paidAndDisputedTwice()
    const { orders } = paypal
    const getDispute = orders.getDispute.bind(orders)
    const failing = vi.spyOn(orders, 'getDispute')
    onTestFinished(() => failing.mockRestore())
    failing.mockImplementation((id) => getDispute(id === latestId ? 'PP-D-NONE' : id))
    for (const listed of [
      await listAllPayments(gateway, since),
      await gateway.listDisputedPayments?.(since),
    ]) {
      const payment = listed?.find((each) => each.reference === reference)
      expect(payment).toMatchObject({ disputeUnread: true })
      expect(payment?.dispute).toBeUndefined()
    }
  })

  test('is reported as unread if the account may not read disputes, and the payment is still returned', async () => {
    const reference = await paid()
    paypal.orders.dispute(reference, 'open', new Date())
    paypal.orders.mayReadDisputes = false
    const payment = await gateway.retrievePayment({ reference })
    paypal.orders.mayReadDisputes = true
    expect(payment).toMatchObject({ status: 'succeeded', disputeUnread: true })
    expect(payment?.dispute).toBeUndefined()
  })
})
