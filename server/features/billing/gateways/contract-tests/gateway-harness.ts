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
 * A connection fault of a request. `before`: it never reached the gateway; `after`: it was executed, and its response was lost
 * or was a 500; `time-out`: it was executed and gets no response while the fault lasts; `429`: it was not executed.
 */
export type NetworkFault = 'dropped before' | 'dropped after' | '500 after' | 'time-out' | '429'
export const networkFaults: readonly NetworkFault[] = [
  'dropped before',
  'dropped after',
  '500 after',
  'time-out',
  '429',
]

/** A notification as the gateway sends it now, one signed by another key, an old one, and one altered in transit. */
export type WebhookKind = 'genuine' | 'forged' | 'stale' | 'altered'

/** The particularities of a gateway, known before its fake runs. */
export interface GatewayTraits {
  /** The method with which the suite pays. */
  method: PaymentMethod
  /** The browser's next step while the payment waits for the user's answer. */
  nextStepType: 'authenticate' | 'redirect'
  /** The declines that it reports while the user is present; the other behaviours are not tested. */
  declines: Partial<Record<Behaviour, DeclineCode>>
  /** The same for a renewal with a method saved by a successful payment. */
  renewalDeclines: Partial<Record<Behaviour, DeclineCode>>
  /** The declines that it reports when a method is set up without a payment. */
  setupDeclines: Partial<Record<Behaviour, DeclineCode>>
  /** The expected details of a saved method. */
  savedMethod: { brand: string | null; last4: string | null; expiresAt?: Date; fingerprint?: string }
  /** It charges a saved method while the user is present, where the bank may require authentication. */
  chargesSavedMethods?: true
  /** The payer's address that it reports, if it differs from ours. */
  email?: string
  /** True if it is reached over a connection that may break, false if it runs within our own process. */
  isRemote: boolean
  /** It keeps no record of what moved no money: a waiting or refused payment that was never named, or a cancelled one. */
  discardsUnpaid?: true
  invalidWebhooks: readonly Exclude<WebhookKind, 'genuine'>[]
}

/** The fake's controls that the suite needs besides the port. */
export interface GatewayHarness {
  gateway: PaymentGateway
  /**
   * Starts a payment and does the browser's and the user's part, until it is decided or, with `asks`, waits for the answer.
   * @returns the payment as the gateway reports it then
   */
  pay(charge: OnSessionCharge, behaviour: Behaviour): Promise<Payment>
  /** The same for a method that is set up without a payment. */
  setUpMethod(request: MethodSetupRequest, behaviour: Behaviour): Promise<MethodSetup>
  /** Gives the user's answer to a waiting payment or set-up. It counts once. */
  answer(reference: string, answer: 'yes' | 'no'): Promise<void>
  webhook(reference: string, kind: WebhookKind): { body: Buffer; headers: Record<string, string> }
  /** Opens a dispute, or reports the bank's decision; the latest notification says so. */
  dispute(reference: string, status: DisputeStatus): Promise<void>
  /** Makes the refunds of a payment fail at the bank. */
  failRefunds(reference: string): Promise<void>
  /**
   * Makes every request that starts a payment, a set-up or a refund meet a fault, and no other request; for a gateway with a
   * connection.
   * @returns a function that ends the fault and releases responses that were held back
   */
  simulateFault?(fault: NetworkFault): () => void
}
