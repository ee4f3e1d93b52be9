import type {
  DeclineCode,
  Payment,
  PaymentGateway,
  OnSessionCharge,
  MethodSetupRequest,
  MethodSetup,
} from '#server/features/billing/gateways/gateway.ts'
import type { DisputeStatus, PaymentMethod } from '#server/features/billing/statuses.ts'

/** The simulated behaviour of a card, or of a wallet's user. `asks` waits for the user's answer. */
export type Behaviour = 'pays' | 'declined' | 'no funds' | 'asks' | 'declines later'

/**
 * A connection fault of a request. `before`: the request does not reach the gateway. `after`: the gateway executes it,
 * but its response is lost or is a 500. `time-out`: the gateway executes it, but sends no response while the fault
 * lasts. `429`: the gateway does not execute it.
 */
export type NetworkFault = 'dropped before' | 'dropped after' | '500 after' | 'time-out' | '429'
export const networkFaults: readonly NetworkFault[] = [
  'dropped before',
  'dropped after',
  '500 after',
  'time-out',
  '429',
]

/** The state of a webhook event: as the gateway sends it, signed with another key, too old, or altered in transit. */
export type WebhookKind = 'genuine' | 'forged' | 'stale' | 'altered'

/** The properties of a gateway that the tests need before its fake runs. */
export interface GatewayTraits {
  /** The method with which the suite pays. */
  method: PaymentMethod
  /** The browser's next step while the payment waits for the user's answer. */
  nextStepType: 'authenticate' | 'redirect'
  /** The expected declines of payments while the user is present. Behaviours without an entry are not tested. */
  declines: Partial<Record<Behaviour, DeclineCode>>
  /** The expected declines of renewals that charge the method of an earlier successful payment. */
  renewalDeclines: Partial<Record<Behaviour, DeclineCode>>
  /** The expected declines of setups without a payment. */
  setupDeclines: Partial<Record<Behaviour, DeclineCode>>
  /** The expected details of a saved method. */
  savedMethod: { brand: string | null; last4: string | null; expiresAt?: Date; fingerprint?: string }
  /**
   * True if the gateway can charge a saved method while the user is present, so that the bank may require 3-D Secure.
   */
  chargesSavedMethods?: true
  /** The payer's e-mail address that the gateway reports, if it differs from ours. */
  email?: string
  /** True if requests to the gateway use a connection that may break. False if the gateway runs in this process. */
  isRemote: boolean
  /** True if the gateway does not find unpaid payments by our key and does not record cancelled payments. */
  discardsUnpaid?: true
  invalidWebhooks: readonly Exclude<WebhookKind, 'genuine'>[]
}

/** The gateway under test, and the controls of its fake. */
export interface GatewayHarness {
  gateway: PaymentGateway
  /**
   * Starts a payment and simulates the browser and the user, until the payment is final. With `asks`, stops when the
   * payment waits for the user's answer.
   * @returns the payment as the gateway then reports it
   */
  pay(charge: OnSessionCharge, behaviour: Behaviour): Promise<Payment>
  /** Starts the setup of a method without a payment, and simulates the browser and the user as `pay` does. */
  setUpMethod(request: MethodSetupRequest, behaviour: Behaviour): Promise<MethodSetup>
  /** Gives the user's answer to a waiting payment or setup. Further answers change nothing. */
  answer(reference: string, answer: 'yes' | 'no'): Promise<void>
  webhook(reference: string, kind: WebhookKind): { body: Buffer; headers: Record<string, string> }
  /** Opens a dispute, or reports the bank's decision. A later call of `webhook` returns an event about the dispute. */
  dispute(reference: string, status: DisputeStatus): Promise<void>
  /** Makes the refunds of a payment fail at the bank. */
  failRefunds(reference: string): Promise<void>
  /**
   * Causes a fault in every request that starts a payment, a setup or a refund, and in no other request. Undefined for
   * a gateway that is not remote.
   * @returns a function that ends the fault and releases the delayed responses
   */
  simulateFault?(fault: NetworkFault): () => void
}
