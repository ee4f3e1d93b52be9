import { describe, expect, test } from 'vitest'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'
import { gatewayShopper } from './gateway-shopper.ts'
import type { Behaviour, GatewayHarness, GatewayTraits } from './gateway-harness.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

/** Tests how a method is saved, with and without a payment, and how it is charged later. */
export function describeSavedMethods(traits: GatewayTraits, harness: () => GatewayHarness): void {
  const { charge, pay, lookUp, unpaid, renewal, saveRequest, lookUpSaving } = gatewayShopper(traits, harness)

  test('saves a payment method on request, and charges it later, until it is detached', async () => {
    expect((await pay('pays')).method).toBeUndefined()
    const { method } = await pay('pays', { save: true })
    expect(method).toEqual({ reference: expect.any(String), ...traits.savedMethod })
    const later = () => ({ ...charge(), methodReference: method?.reference ?? '' })
    const request = later()
    const renewed = await harness().gateway.chargeSavedMethod(request)
    expect(renewed).toMatchObject({ status: 'succeeded', amountCents: 999, orderId: request.orderId })
    expect(await lookUp(request)).toMatchObject({ status: 'succeeded' })
    expect(await harness().gateway.isMethodAttached(method?.reference ?? '')).toBe(true)
    await harness().gateway.detachMethod(method?.reference ?? '')
    await harness().gateway.detachMethod(method?.reference ?? '')
    expect(await harness().gateway.isMethodAttached(method?.reference ?? '')).toBe(false)
    expect(await harness().gateway.chargeSavedMethod(later())).toMatchObject({ status: 'failed' })
  })

  if (traits.chargesSavedMethods)
    describe('a saved payment method, charged while the customer is present', () => {
      const chargeOfSavedMethod = async (behaviour: Behaviour) => {
        const { methodReference } = await renewal(behaviour)
        return charge({ methodReference })
      }

      test('pays immediately, once per key, and is not saved again', async () => {
        const request = await chargeOfSavedMethod('pays')
        const payment = await harness().gateway.createPayment(request)
        expect(payment).toMatchObject({ status: 'succeeded', orderId: request.orderId, amountCents: 999 })
        expect(payment.method).toBeUndefined()
        expect(await harness().gateway.createPayment(request)).toEqual(payment)
      })

      test.each([
        ['yes', { status: 'succeeded' }],
        ['no', { status: 'failed', decline: 'authentication_failed' }],
      ] as const)(
        'waits for the customer if the bank requires 3-D Secure, and uses the answer "%s"',
        async (answer, outcome) => {
          const payment = await harness().gateway.createPayment(await chargeOfSavedMethod('asks'))
          expect(payment).toMatchObject({ status: 'requires_action', next: { type: 'authenticate' } })
          await harness().answer(payment.reference, answer)
          expect(await harness().gateway.confirmPayment(payment.reference)).toMatchObject(outcome)
        },
      )

      test('is declined with our own decline code, and fails after it was detached', async () => {
        const decline = traits.renewalDeclines['declines later']
        const payment = await harness().gateway.createPayment(await chargeOfSavedMethod('declines later'))
        expect(payment).toMatchObject({ status: 'failed', decline })
        const request = await chargeOfSavedMethod('pays')
        await harness().gateway.detachMethod(request.methodReference ?? '')
        expect(await harness().gateway.createPayment(request)).toMatchObject({ status: 'failed' })
      })
    })

  test.each(Object.entries(traits.renewalDeclines))(
    'maps the reason of a declined renewal to our own decline code: %s',
    async (behaviour, decline) => {
      const request = await renewal(behaviour as Behaviour)
      expect(await harness().gateway.chargeSavedMethod(request)).toMatchObject({ status: 'failed', decline })
      expect(await lookUp(request)).toEqual(unpaid({ status: 'failed', decline }))
    },
  )

  test('saves a method without a payment, finds its setup by reference or key, and charges the method', async () => {
    const request = saveRequest()
    const { gateway } = harness()
    const since = new Date(Date.now() - 60_000)
    const before = await listAllPayments(gateway, since)
    const setup = await harness().setUpMethod(request, 'pays')
    const { brand, last4 } = traits.savedMethod
    expect(setup).toMatchObject({
      status: 'succeeded',
      setupId: request.setupId,
      method: { brand, last4 },
    })
    expect(setup.next).toBeUndefined()
    expect(await gateway.methodSetups.retrieve(setup)).toEqual(setup)
    expect(await gateway.methodSetups.complete(setup.reference)).toEqual(setup)
    expect(await lookUpSaving(request)).toEqual(traits.discardsUnpaid ? null : setup)
    expect(await listAllPayments(gateway, since)).toHaveLength(before.length)
    const methodReference = setup.method?.reference ?? ''
    expect(await gateway.chargeSavedMethod({ ...charge(), methodReference })).toMatchObject({
      status: 'succeeded',
    })
    await gateway.detachMethod(methodReference)
    expect(await gateway.isMethodAttached(methodReference)).toBe(false)
  })

  test('finds no setup that was never requested', async () => {
    expect(await lookUpSaving(saveRequest())).toBeNull()
    expect(await harness().gateway.methodSetups.retrieve({ reference: 'never' })).toBeNull()
    expect(await harness().gateway.methodSetups.complete('never')).toBeNull()
    expect(await harness().gateway.methodSetups.cancel('never')).toBeNull()
  })

  test('makes one setup per key, and refuses a different request with the key', async () => {
    const request = saveRequest()
    const { methodSetups } = harness().gateway
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => methodSetups.start(request)))
    const named = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.reference] : []))
    expect(new Set(named).size).toBe(1)
    await expect(methodSetups.start({ ...request, setupId: 'pmc_other' })).rejects.toThrow(GatewayRefused)
  })

  test.each(Object.entries(traits.setupDeclines))(
    'maps the reason of a failed setup to our own decline code: %s',
    async (behaviour, decline) => {
      const request = saveRequest()
      const refused = await harness().setUpMethod(request, behaviour as Behaviour)
      expect(refused).toMatchObject({ status: 'failed', decline })
      expect(refused.method).toBeUndefined()
      expect(await lookUpSaving(request)).toEqual(unpaid({ status: 'failed', decline }))
    },
  )

  test.each([
    ['yes', ['succeeded']],
    ['no', traits.discardsUnpaid ? ['requires_action'] : ['failed', 'cancelled']],
  ] as const)(
    'saves a method only if the user approves; after the answer %s, the status is one of %j',
    async (answer, statuses) => {
      const waiting = await harness().setUpMethod(saveRequest(), 'asks')
      expect(waiting).toMatchObject({ status: 'requires_action', next: { type: traits.nextStepType } })
      await harness().answer(waiting.reference, answer)
      const decided = await harness().gateway.methodSetups.complete(waiting.reference)
      expect(statuses).toContain(decided?.status)
      expect(decided?.method === undefined).toBe(answer === 'no')
      expect(await harness().gateway.methodSetups.complete(waiting.reference)).toEqual(decided)
    },
  )

  test('cancels a waiting setup permanently, but does not cancel a completed setup', async () => {
    const { methodSetups } = harness().gateway
    const waiting = await harness().setUpMethod(saveRequest(), 'asks')
    expect(await methodSetups.cancel(waiting.reference)).toMatchObject({ status: 'cancelled' })
    await harness().answer(waiting.reference, 'yes')
    expect((await methodSetups.retrieve(waiting))?.method).toBeUndefined()
    const setup = await harness().setUpMethod(saveRequest(), 'pays')
    expect(await methodSetups.cancel(setup.reference)).toEqual(setup)
  })
}
