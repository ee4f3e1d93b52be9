import { Type } from 'typebox'
import type { declineCodes, GatewayId, NextStep } from '#contract/billing.ts'
import type { DisputeStatus, PaymentMethod } from '#server/features/billing/statuses.ts'

/** The reason for a declined payment; an adapter maps the gateway's reasons to these. */
export type DeclineCode = (typeof declineCodes)[number]

/**
 * A payment to make. Its key is committed to our database before the call, so that the payment can be found by the key.
 */
export interface Charge {
  /** The idempotency key: a repeated request with the same key makes no second payment. */
  key: string
  orderId: string
  attemptId: string
  amountCents: number
  currency: string
  payer: { userId: string; email: string; firstName?: string; lastName?: string }
  /** The purchase as written by purchase-metadata.ts. The gateway stores it with the payment. */
  purchase: string
}

/** A payment while the user is present. */
export interface OnSessionCharge extends Charge {
  method: PaymentMethod
  /** The token that the browser got from the gateway for the card; a wallet needs none. */
  token?: string
  /** A saved method to charge instead of a token. The bank may still require 3-D Secure. */
  methodReference?: string
  /** True if the gateway should save the method, for renewals or further purchases. */
  save: boolean
  /** The page to which a wallet returns the user. */
  returnUrl: string
}

/** A renewal, charged to a saved method. */
interface OffSessionCharge extends Charge {
  methodReference: string
}

interface SavedMethod {
  /**
   * The gateway's id of the method. If charging needs a second id, such as a customer's, that id and a slash precede
   * it.
   */
  reference: string
  brand: string | null
  last4: string | null
  /** The card's expiry; undefined if the gateway does not report it. */
  expiresAt?: Date
  /** Identifies a card or wallet across users; undefined if the gateway does not report it. */
  fingerprint?: string
}

/** A payment as the gateway reports it. */
export interface Payment {
  reference: string
  /** `unreadable`: the gateway reports a state that this site does not know. An operator has to resolve it. */
  status: 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled' | 'unreadable'
  /** Empty for a payment of another shop that uses the same account. */
  orderId: string
  attemptId: string
  /** The purchase that was stored with the payment. */
  purchase?: string
  amountCents: number
  refundedCents: number
  /** Part of `refundedCents` is still being paid out and may fail. */
  refundPending?: boolean
  /** Empty if the gateway's answer could not be read. */
  currency: string
  /** The method, if it was saved. */
  method?: SavedMethod
  /** The browser's next step, if the status is `requires_action`. */
  next?: NextStep
  decline?: DeclineCode
  /** The status of the dispute, if the payment was disputed. */
  dispute?: DisputeStatus
  /**
   * The disputed amount; undefined for the whole payment. The bank holds it while the dispute is open, and keeps it if
   * the dispute is lost.
   */
  disputedCents?: number
  /** Details of the dispute, for the operator who answers it at the gateway. */
  disputeDetails?: DisputeDetails
  /**
   * The gateway no longer has the payment, but still has its refund, reversal or dispute. Then only `attemptId` and the
   * dispute are known, and the status is `unreadable`.
   */
  missing?: boolean
  /** The gateway did not report whether there is a dispute. A dispute that is already recorded stays unchanged. */
  disputeUnread?: boolean
}

export interface DisputeDetails {
  /** The gateway's id of the dispute. */
  reference?: string
  /** The gateway's reason, such as `fraudulent`. */
  reason?: string
  /** The deadline for an answer. */
  dueAt?: Date
}

/**
 * Returns a placeholder for a payment that could not be read, so that one bad record does not make a whole list fail.
 */
export function unreadablePayment(reference: string): Payment {
  const unknown = { orderId: '', attemptId: '', amountCents: 0, refundedCents: 0, currency: '' }
  return { reference, status: 'unreadable', ...unknown }
}

/**
 * Returns a failed payment for a charge that created none at the gateway. Its reference is our key, which is unique
 * too.
 */
export function notCreatedPayment(charge: Charge, decline: DeclineCode): Payment {
  const { key: reference, orderId, attemptId, amountCents, currency } = charge
  return { reference, status: 'failed', orderId, attemptId, amountCents, refundedCents: 0, currency, decline }
}

/** Returns a placeholder for a payment that the gateway no longer has. */
export function missingPayment(reference: string, attemptId = ''): Payment {
  return { ...unreadablePayment(reference), attemptId, missing: true }
}

/** Returns the reference with which `retrievePayment` finds a payment by its dispute, if its own record was deleted. */
export const toDisputeReference = (disputeReference: string): string => `dispute:${disputeReference}`

/** Returns whether a reference is not the id of a payment: the gateways' ids contain no colon. */
export const isIndirectReference = (reference: string): boolean => reference.includes(':')

export const unlistedPrefix = 'not-listed:'

/** Returns the reference of the discrepancy for a time span that a gateway no longer lists (`listHistoryMs`). */
export const toUnlistedReference = (from: Date, to: Date): string =>
  `${unlistedPrefix}${from.toISOString()}/${to.toISOString()}`

/** Returns whether a reference is that of an unlisted time span, for which there is no payment to look up. */
export const isUnlistedReference = (reference: string): boolean => reference.startsWith(unlistedPrefix)

/** The reference of the `unreadable` payment that an adapter lists if the gateway did not return its disputes. */
export const unreadDisputesReference = 'disputes'

/** A payment method to set up without a payment. */
export interface MethodSetupRequest {
  /** The idempotency key of the setup. */
  key: string
  setupId: string
  payer: Charge['payer']
  method: PaymentMethod
  /** The card token, as in `OnSessionCharge`. */
  token?: string
  returnUrl: string
  /** The page to which a wallet returns a user who cancels. */
  cancelUrl: string
}

/** The setup of a payment method, as the gateway reports it. */
export interface MethodSetup {
  reference: string
  status: Exclude<Payment['status'], 'unreadable'>
  /** Our own id of the setup, if the gateway stores it. */
  setupId?: string
  /** The method, once it is saved. */
  method?: SavedMethod
  next?: NextStep
  decline?: DeclineCode
}

/** Identifies a setup by the gateway's id or, if that is not known, by our own key. */
export type MethodSetupLookup = { reference: string } | { key: string; setupId: string; startedAt: Date }

/** Sets up payment methods without a payment. No money moves, and a method can be charged only once it is approved. */
export interface MethodSetups {
  start(request: MethodSetupRequest): Promise<MethodSetup>
  /** Completes a setup that waited for the user, and returns it. Null if the gateway no longer has it. */
  complete(reference: string): Promise<MethodSetup | null>
  /** Returns a setup; null if the gateway has no such setup. */
  retrieve(lookup: MethodSetupLookup): Promise<MethodSetup | null>
  /**
   * Cancels a setup that waits for the user; a saved method stays saved. Null if the gateway no longer has the setup.
   */
  cancel(reference: string): Promise<MethodSetup | null>
}

/** The third-party hosts of the card form's document, for its Content-Security-Policy. */
export interface FormHosts {
  script: readonly string[]
  frame: readonly string[]
  /** Hosts to which the gateway's script sends requests. */
  connect: readonly string[]
}

/** Identifies a payment by the gateway's id or, if that is not known, by our own key. */
export type PaymentLookup = { reference: string } | { key: string; attemptId: string; startedAt: Date }

/** A gateway's id of an event, a payment or a method. */
export const GatewayReference = Type.String({ pattern: '^[!-~]{1,255}$' })

/**
 * A webhook event. `reference` is the id of a payment, a setup or a saved method, which is then queried at the gateway.
 */
export interface WebhookEvent {
  eventId: string
  reference: string
}

/** Thrown for a webhook event that was not signed by the gateway, is too old, or has an unknown shape. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
}

/**
 * Thrown if the gateway refused a request permanently, such as a refund of more than was paid. After any other error it
 * is unknown whether money moved.
 */
export class GatewayRefused extends Error {
  override readonly name = 'GatewayRefused'
}

/** Returns the references of those payments that are already recorded as succeeded. */
export type FindBookedPayments = (references: readonly string[]) => Promise<ReadonlySet<string>>

/**
 * A payment service, which moves the money. It is not responsible for renewals, dunning and entitlements. Calls may be
 * slow or fail, so callers use `call-gateway.ts`, which adds time limits.
 */
export interface PaymentGateway {
  readonly id: GatewayId
  readonly methods: readonly PaymentMethod[]
  /** The public key, for the gateway's own script in the browser. */
  readonly publicKey?: string
  /** True if the gateway cannot save methods and so sells no plans. May be known only some time after the start. */
  readonly oneOffOnly?: boolean
  /**
   * Checks the account's settings at the gateway when the site starts. Never throws, and takes a few seconds at most.
   */
  prepare?(): Promise<void>
  /** Returns the required webhook events that the account does not send: all of them if there is no webhook. */
  missingWebhookEvents?(): Promise<readonly string[]>
  readonly formHosts?: FormHosts
  /** Returns the smallest unit of a currency, in cents. Every amount must be a multiple of it; one cent by default. */
  unitCents?(currency: string): number
  /** Returns whether the gateway accepts an amount; by default it accepts any amount. */
  acceptsAmount?(amountCents: number, currency: string): boolean
  /**
   * Returns the step in which the browser obtains a token before `createPayment`. Undefined if the browser needs the
   * payment itself for its next step (as with a wallet): the payment then starts with the order.
   */
  tokenStep(method: PaymentMethod): NextStep | undefined
  /** Charges a one-off purchase or a first period, while the user is present. */
  createPayment(charge: OnSessionCharge): Promise<Payment>
  /** Charges a renewal, while the user is absent. */
  chargeSavedMethod(charge: OffSessionCharge): Promise<Payment>
  /** Completes a payment that waited for the user (a capture), and returns it. Null if the gateway no longer has it. */
  confirmPayment(reference: string): Promise<Payment | null>
  /**
   * Time after the start of a payment, in milliseconds, until the gateway surely finds it by our key; an hour by
   * default. A payment that it does not find counts as lost only after this time.
   */
  readonly lookupLagMs?: number
  /** Returns a payment; null if the gateway has no such payment. */
  retrievePayment(lookup: PaymentLookup): Promise<Payment | null>
  /** Returns the payer's e-mail address, if the gateway has it. */
  findEmail(reference: string): Promise<string | undefined>
  /**
   * Cancels a payment that waits for the user; a succeeded payment is unchanged. Null if the gateway no longer has it.
   */
  cancelPayment(reference: string): Promise<Payment | null>
  /** Refunds once per key. @throws GatewayRefused if the amount exceeds what can still be refunded */
  refundPayment(refund: { reference: string; amountCents: number; key: string }): Promise<void>
  methodSetups: MethodSetups
  /** Detaches a method, which can then no longer be charged. */
  detachMethod(methodReference: string): Promise<void>
  /** Returns whether the gateway still has the method. */
  isMethodAttached(methodReference: string): Promise<boolean>
  /** Deletes the name and address of a user who will not pay again, if the gateway stores them. */
  deleteCustomer?(userId: string): Promise<void>
  /** Verifies and parses a webhook event. @throws WebhookRefused */
  parseWebhook(
    body: Buffer,
    headers: Record<string, string | string[] | undefined>,
  ): WebhookEvent | Promise<WebhookEvent>
  /**
   * Lists all payments that were made, refunded or disputed since a time, for reconciliation. If the gateway needs a
   * call per payment, unchanged payments that are already recorded (`findBooked`) are omitted. A payment that cannot be
   * read is listed as `unreadable`, with a reference that `retrievePayment` accepts.
   */
  listPayments(time: Date, findBooked?: FindBookedPayments): Promise<Payment[]>
  /** How far back `listPayments` can list, in milliseconds; without limit by default. */
  readonly listHistoryMs?: number
  /**
   * Lists the payments whose dispute was opened since a time; used after `listPayments` could not read the disputes.
   */
  listDisputedPayments?(time: Date): Promise<Payment[]>
}
