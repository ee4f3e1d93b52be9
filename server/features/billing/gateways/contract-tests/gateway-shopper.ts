import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type {
  Charge,
  OnSessionCharge,
  MethodSetupRequest,
} from '#server/features/billing/gateways/gateway.ts'
import type { Behaviour, GatewayHarness, GatewayTraits } from './gateway-harness.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

/** Returns functions that create requests for a gateway, and functions that look up their results. */
export function gatewayShopper(traits: GatewayTraits, harness: () => GatewayHarness) {
  const since = new Date(Date.now() - 60_000)
  const charge = (overrides: Partial<OnSessionCharge> = {}): OnSessionCharge => {
    const id = randomBytes(8).toString('hex')
    return {
      key: `pay:ord_${id}:1`,
      orderId: `ord_${id}`,
      attemptId: `att_${id}`,
      amountCents: 999,
      currency: 'USD',
      payer: { userId: `usr_${id}`, email: 'viewer@example.com', firstName: 'Ada', lastName: 'Lovelace' },
      purchase: `1,episode,card,usr_${id},${'x'.repeat(180)}`,
      method: traits.method,
      save: false,
      returnUrl: `http://localhost/order/result?order_id=ord_${id}`,
      ...overrides,
    }
  }
  const pay = (behaviour: Behaviour, overrides: Partial<OnSessionCharge> = {}) =>
    harness().pay(charge(overrides), behaviour)
  /** Looks up a payment by our own key, as if the gateway's response was lost. */
  const lookUp = ({ key, attemptId }: Charge) => {
    const known = { key, attemptId, startedAt: new Date() }
    return harness().gateway.retrievePayment(known)
  }
  /** The expected lookup result of a payment that moved no money. */
  const unpaid = (expected: object) => (traits.discardsUnpaid ? null : expect.objectContaining(expected))
  /** Returns the request of a renewal that charges the method of an earlier successful payment. */
  const renewal = async (behaviour: Behaviour) => {
    const first = await pay(behaviour, { save: true })
    if (first.status === 'requires_action') await harness().answer(first.reference, 'yes')
    const paid = await harness().gateway.confirmPayment(first.reference)
    expect(paid).toMatchObject({ status: 'succeeded' })
    return { ...charge(), methodReference: paid?.method?.reference ?? '' }
  }
  const saveRequest = (): MethodSetupRequest => {
    const id = randomBytes(8).toString('hex')
    return {
      key: `method:pmc_${id}`,
      setupId: `pmc_${id}`,
      payer: charge().payer,
      method: traits.method,
      returnUrl: `http://localhost/my?change=pmc_${id}`,
      cancelUrl: `http://localhost/my?change=pmc_${id}`,
    }
  }
  const lookUpSaving = ({ key, setupId }: MethodSetupRequest) =>
    harness().gateway.methodSetups.retrieve({ key, setupId, startedAt: new Date() })
  const paymentsOf = async (orderId: string) => {
    const listed = await listAllPayments(harness().gateway, since)
    return listed.filter((payment) => payment.orderId === orderId)
  }

  return { charge, pay, lookUp, unpaid, renewal, saveRequest, lookUpSaving, paymentsOf }
}
