import type { NetworkFault } from '#server/features/billing/gateways/contract-tests/gateway-harness.ts'
import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'

const faults: readonly NetworkFault[] = ['dropped before', 'dropped after', '500 after', 'time-out', '429']

/** Returns one of the five network faults at random. All have the same probability. */
export function randomFault(): NetworkFault {
  return faults[Math.floor(Math.random() * faults.length)] ?? '429'
}

/** Adds network faults to the sandbox's requests that move money. Other gateways are returned unchanged. */
export function faultySandbox(gateway: PaymentGateway): PaymentGateway {
  if (gateway.id !== 'sandbox') return gateway
  return {
    ...gateway,
    createPayment: (charge) => meetFault(() => gateway.createPayment(charge)),
    chargeSavedMethod: (charge) => meetFault(() => gateway.chargeSavedMethod(charge)),
    refundPayment: (refund) => meetFault(() => gateway.refundPayment(refund)),
  }
}

async function meetFault<T>(work: () => Promise<T>): Promise<T> {
  const fault = randomFault()
  if (fault === 'dropped before' || fault === '429') throw new Error(fault)
  await work()
  if (fault === 'time-out') return new Promise(() => {})
  throw new Error(fault)
}
