import { expect, test } from 'vitest'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'
import { gatewayShopper } from './gateway-shopper.ts'
import type { Behaviour, GatewayHarness, GatewayTraits } from './gateway-harness.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

/** Tests how a payment starts, ends and is found. */
export function describePayments(traits: GatewayTraits, harness: () => GatewayHarness): void {
  const { charge, pay, lookUp, unpaid, paymentsOf } = gatewayShopper(traits, harness)

  test('makes a payment and finds it by its reference and by our key', async () => {
    const request = charge()
    const paid = await harness().pay(request, 'pays')
    const { orderId, attemptId, amountCents, currency } = request
    expect(paid).toMatchObject({
      status: 'succeeded',
      orderId,
      attemptId,
      amountCents,
      currency,
      refundedCents: 0,
    })
    expect(paid.next).toBeUndefined()
    expect(await harness().gateway.retrievePayment({ reference: paid.reference })).toEqual(paid)
    expect(await lookUp(request)).toEqual(paid)
  })

  test('stores the product and the buyer of a payment', async () => {
    const request = charge()
    const { reference } = await harness().pay(request, 'pays')
    expect(await harness().gateway.retrievePayment({ reference })).toMatchObject({
      purchase: request.purchase,
    })
    expect(await harness().gateway.findEmail(reference)).toBe(traits.email ?? request.payer.email)
  })

  test('finds no payment that was never requested', async () => {
    const { gateway } = harness()
    expect(await lookUp(charge())).toBeNull()
    // Adapters do not request ids of another form. `pi_never` has the form of Stripe's ids, `NEVER` that of PayPal's.
    for (const reference of ['never', 'pi_never', 'NEVER']) {
      expect(await gateway.retrievePayment({ reference })).toBeNull()
      expect(await gateway.confirmPayment(reference)).toBeNull()
      expect(await gateway.cancelPayment(reference)).toBeNull()
    }
  })

  test('makes no second payment for concurrent repeated requests with a key, and refuses a different request with that key', async () => {
    const request = charge()
    const { reference } = await harness().pay(request, 'pays')
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, () => harness().gateway.createPayment(request)),
    )
    for (const answer of answers)
      if (answer.status === 'fulfilled') expect(answer.value.reference).toBe(reference)
    await expect(harness().gateway.createPayment({ ...request, amountCents: 1000 })).rejects.toThrow(
      GatewayRefused,
    )
    expect(await paymentsOf(request.orderId)).toHaveLength(1)
  })

  test('makes one payment if the first requests for a key are concurrent', async () => {
    const request = charge({ save: true })
    const { gateway } = harness()
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => gateway.createPayment(request)))
    const named = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.reference] : []))
    expect(new Set(named).size).toBe(1)
    expect(await paymentsOf(request.orderId)).toHaveLength(traits.discardsUnpaid ? 0 : 1)
  })

  test.each(Object.entries(traits.declines))(
    'maps the reason of a failed payment to our own decline code: %s',
    async (behaviour, decline) => {
      const request = charge()
      const refused = await harness().pay(request, behaviour as Behaviour)
      expect(refused).toMatchObject({ status: 'failed', decline })
      expect(await lookUp(request)).toEqual(unpaid({ status: 'failed', decline }))
    },
  )

  test.each([
    ['yes', ['succeeded']],
    ['no', traits.discardsUnpaid ? ['requires_action'] : ['failed', 'cancelled']],
  ] as const)(
    'waits for the user’s answer; after the answer %s, the status is one of %j',
    async (answer, statuses) => {
      const request = charge()
      const waiting = await harness().pay(request, 'asks')
      expect(waiting).toMatchObject({ status: 'requires_action', next: { type: traits.nextStepType } })
      expect(await lookUp(request)).toEqual(unpaid({ status: 'requires_action' }))
      await harness().answer(waiting.reference, answer)
      const decided = await harness().gateway.confirmPayment(waiting.reference)
      expect(statuses).toContain(decided?.status)
      expect(await harness().gateway.confirmPayment(waiting.reference)).toEqual(decided)
    },
  )

  test('cancels a waiting payment permanently, but does not cancel a succeeded payment', async () => {
    const waiting = await pay('asks')
    expect(await harness().gateway.cancelPayment(waiting.reference)).toMatchObject({ status: 'cancelled' })
    await harness().answer(waiting.reference, 'yes')
    const called = await harness().gateway.retrievePayment(waiting)
    expect(called?.status).toBe(traits.discardsUnpaid ? 'requires_action' : 'cancelled')
    const paid = await pay('pays')
    expect(await harness().gateway.cancelPayment(paid.reference)).toMatchObject({ status: 'succeeded' })
  })

  test('lists only the payments since a time', async () => {
    const { reference, orderId } = await pay('pays')
    expect(await paymentsOf(orderId)).toMatchObject([{ reference, status: 'succeeded' }])
    const later = await listAllPayments(harness().gateway, new Date(Date.now() + 60_000))
    expect(later.map((payment) => payment.reference)).not.toContain(reference)
  })
}
