import type {
  DeclineCode,
  Payment,
  PaymentGateway,
  PresentCharge,
  MethodSetupRequest,
  MethodSetup,
} from './gateway.ts'
import type { DisputeStatus, PaymentMethod } from '#server/features/billing/statuses.ts'

/** How a card, or the person with a wallet, behaves. `asks` waits for the person's answer. */
export type Behaviour = 'pays' | 'declined' | 'no funds' | 'asks' | 'declines later'

/**
 * What may go wrong with a request on the line. `before`: the gateway never saw it; `after`: it did its work and the answer
 * was lost or said 500; `time-out`: it did its work and does not answer while the fault lasts; `429`: it did nothing.
 */
export type Fault = 'dropped before' | 'dropped after' | '500 after' | 'time-out' | '429'
export const faults: readonly Fault[] = ['dropped before', 'dropped after', '500 after', 'time-out', '429']

/** A notification as the gateway sends it now, one that somebody else signed, an old one, and one changed on its way. */
export type NotificationKind = 'genuine' | 'forged' | 'stale' | 'altered'

/** What is particular to a gateway, known before its stand-in runs. */
export interface GatewayTraits {
  /** How the suite pays with it. */
  method: PaymentMethod
  /** What the browser is told to do where the payment waits for the person's answer. */
  asksBy: 'authenticate' | 'redirect'
  /** The refusals that it knows while the person is there, in our words; the others are not tried. */
  declines: Partial<Record<Behaviour, DeclineCode>>
  /** The same for a renewal with a method that it kept of a payment that went through. */
  declinesLater: Partial<Record<Behaviour, DeclineCode>>
  /** The refusals that it knows where a method is to be kept without a payment. */
  refusesToKeep: Partial<Record<Behaviour, DeclineCode>>
  /** What is known of a method that it keeps. */
  kept: { brand: string | null; last4: string | null; expiresAt?: Date; fingerprint?: string }
  /** It charges a kept method while the person is there, where the bank may ask them. */
  chargesKept?: true
  /** The address that it knows of whoever pays, where that is another than ours. */
  email?: string
  /** Whether a line that may break leads to it: not so where it lives within our own process. */
  hasLine: boolean
  /** It keeps no trace of what moved no money: of a waiting or refused payment without its name, or of one called off. */
  forgetsUnpaid?: true
  notifications: readonly Exclude<NotificationKind, 'genuine'>[]
}

/** What the suite needs beside the port. */
export interface GatewayHarness {
  gateway: PaymentGateway
  /**
   * Starts a payment and does the browser's and the person's part, until it is decided or, with `asks`, waits for their
   * answer. @returns it as the gateway has it then
   */
  pay(charge: PresentCharge, behaviour: Behaviour): Promise<Payment>
  /** The same for a method that is to be kept without a payment. */
  save(request: MethodSetupRequest, behaviour: Behaviour): Promise<MethodSetup>
  /** The person's answer to what a payment or a saving waits for. It counts once. */
  answer(reference: string, answer: 'yes' | 'no'): Promise<void>
  notification(reference: string, kind: NotificationKind): { body: Buffer; headers: Record<string, string> }
  /** The person has their bank take the money back, or the bank has decided; the latest notification says so. */
  dispute(reference: string, status: DisputeStatus): Promise<void>
  /** What was refunded of a payment comes back from the bank. */
  failRefunds(reference: string): Promise<void>
  /**
   * Lets every request that starts a payment, a saving or a refund meet a fault, and no other request; for a gateway with a line.
   * @returns what ends the fault, and lets answers through that were held back
   */
  fail?(fault: Fault): () => void
}
