import { Type } from 'typebox'
import type { declineCodes, GatewayId, NextStep } from '#contract/billing.ts'
import type { DisputeStatus, PaymentMethod } from '#server/features/billing/statuses.ts'

/** The reason for a declined payment. Each adapter maps its gateway's reasons to these codes. */
export type DeclineCode = (typeof declineCodes)[number]

/** A payment to make. Its key is committed to our database before the call, so that the payment can be found later. */
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
   * The gateway's id of the method. If a charge also needs another id, such as the customer's, the reference is
   * `customer/method`.
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
  /** Empty for a payment of another shop that uses the same account at the gateway. */
  orderId: string
  attemptId: string
  /** The purchase that was stored with the payment. */
  purchase?: string
  amountCents: number
  refundedCents: number
  /** True if part of `refundedCents` is still being paid out and may fail. */
  refundPending?: boolean
  /** Empty if the gateway's answer could not be parsed. */
  currency: string
  /** The method, if it was saved. */
  method?: SavedMethod
  /** The browser's next step, if the status is `requires_action`. */
  next?: NextStep
  decline?: DeclineCode
  /** The status of the dispute, if the payment was disputed. */
  dispute?: DisputeStatus
  /**
   * The disputed amount. Undefined means the whole payment. The bank holds the amount while the dispute is open, and
   * keeps it if the dispute is lost.
   */
  disputedCents?: number
  /** Details of the dispute, for the operator who answers it at the gateway. */
  disputeDetails?: DisputeDetails
  /**
   * True if the gateway has deleted the payment, but still has a refund, reversal or dispute of it. Only `attemptId`
   * and the dispute are then known, and the status is `unreadable`.
   */
  missing?: boolean
  /** True if the gateway did not report whether there is a dispute. A recorded dispute then stays unchanged. */
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
 * Returns a failed payment for a charge that created no payment at the gateway. The unique key of the charge is used as
 * the reference.
 */
export function notCreatedPayment(charge: Charge, decline: DeclineCode): Payment {
  const { key: reference, orderId, attemptId, amountCents, currency } = charge
  return { reference, status: 'failed', orderId, attemptId, amountCents, refundedCents: 0, currency, decline }
}

/** Returns a placeholder for a payment that the gateway has deleted. */
export function missingPayment(reference: string, attemptId = ''): Payment {
  return { ...unreadablePayment(reference), attemptId, missing: true }
}

/**
 * Returns a reference with which `retrievePayment` finds a payment by its dispute after the gateway deleted the
 * payment.
 */
export const toDisputeReference = (disputeReference: string): string => `dispute:${disputeReference}`

/** Returns whether a reference is something other than a payment's id, such as `dispute:…`. Ids contain no colon. */
export const isIndirectReference = (reference: string): boolean => reference.includes(':')

export const unlistedPrefix = 'not-listed:'

/**
 * Returns the reference of a discrepancy about a time span that the gateway's list does not cover (`listHistoryMs`).
 */
export const toUnlistedReference = (from: Date, to: Date): string =>
  `${unlistedPrefix}${from.toISOString()}/${to.toISOString()}`

/** Returns whether a reference belongs to a discrepancy about a time span, and therefore to no payment. */
export const isUnlistedReference = (reference: string): boolean => reference.startsWith(unlistedPrefix)

/** The reference of the `unreadable` placeholder that an adapter lists if the gateway did not return its disputes. */
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

/** Identifies a setup by the gateway's id or, if that id is not known, by our own key. */
export type MethodSetupLookup = { reference: string } | { key: string; setupId: string; startedAt: Date }

/**
 * Sets up payment methods without a payment. No money moves. A method can be charged only after its setup is approved.
 */
export interface MethodSetups {
  start(request: MethodSetupRequest): Promise<MethodSetup>
  /** Completes a setup that waited for the user, and returns it. Returns null if the gateway does not have it. */
  complete(reference: string): Promise<MethodSetup | null>
  /** Returns a setup, or null if the gateway does not have it. */
  retrieve(lookup: MethodSetupLookup): Promise<MethodSetup | null>
  /**
   * Cancels a setup that waits for the user. Does not change a completed setup. Returns null if the gateway does not
   * have it.
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

/** Identifies a payment by the gateway's id or, if that id is not known, by our own key. */
export type PaymentLookup = { reference: string } | { key: string; attemptId: string; startedAt: Date }

/** A gateway's id of an event, a payment or a method. */
export const GatewayReference = Type.String({ pattern: '^[!-~]{1,255}$' })

/**
 * A webhook event. `reference` is the id of a payment, setup or saved method, whose state is then read at the gateway.
 */
export interface WebhookEvent {
  eventId: string
  reference: string
}

/** Thrown for a webhook event that the gateway did not sign, that is too old, or that has an unknown shape. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
}

/**
 * Thrown if the gateway permanently refused a request, such as a refund of more than was paid. After any other error,
 * the outcome is unknown and money may have moved.
 */
export class GatewayRefused extends Error {
  override readonly name = 'GatewayRefused'
}

/** Returns those of the given references whose payments are recorded as succeeded. */
export type FindBookedPayments = (references: readonly string[]) => Promise<ReadonlySet<string>>

/**
 * A payment service, which only moves money. Renewals, dunning and entitlements are outside this port. Calls may be
 * slow or fail, so callers use `call-gateway.ts`, which adds time limits.
 */
export interface PaymentGateway {
  readonly id: GatewayId
  readonly methods: readonly PaymentMethod[]
  /** The public key, for the gateway's own script in the browser. */
  readonly publicKey?: string
  /** True if the gateway cannot save methods, so it is not offered for plans. May become known only after the start. */
  readonly oneOffOnly?: boolean
  /**
   * Checks the account's settings at the gateway when the site starts. Never throws, and takes a few seconds at most.
   */
  prepare?(): Promise<void>
  /** Returns the required webhook events that the account does not send. Returns all of them if there is no webhook. */
  missingWebhookEvents?(): Promise<readonly string[]>
  readonly formHosts?: FormHosts
  /**
   * Returns the smallest unit of a currency, in cents. Every amount must be a multiple of this unit. The default is one
   * cent.
   */
  unitCents?(currency: string): number
  /** Returns whether the gateway accepts an amount. By default, it accepts any amount. */
  acceptsAmount?(amountCents: number, currency: string): boolean
  /**
   * Returns the step in which the browser obtains a token before `createPayment`. Returns undefined if the browser's
   * next step needs the payment, as with a wallet. The payment is then created with the order.
   */
  tokenStep(method: PaymentMethod): NextStep | undefined
  /** Charges a one-off purchase or a first period, while the user is present. */
  createPayment(charge: OnSessionCharge): Promise<Payment>
  /** Charges a renewal, while the user is absent. */
  chargeSavedMethod(charge: OffSessionCharge): Promise<Payment>
  /**
   * Completes a payment that waited for the user (a capture), and returns it. Returns null if the gateway does not have
   * it.
   */
  confirmPayment(reference: string): Promise<Payment | null>
  /**
   * The maximum time, in milliseconds, until the gateway finds a new payment by our key. The default is an hour. A
   * payment that is not found after this time counts as lost.
   */
  readonly lookupLagMs?: number
  /** Returns a payment, or null if the gateway does not have it. */
  retrievePayment(lookup: PaymentLookup): Promise<Payment | null>
  /** Returns the payer's e-mail address, if the gateway has it. */
  findEmail(reference: string): Promise<string | undefined>
  /**
   * Cancels a payment that waits for the user. Does not change a succeeded payment. Returns null if the gateway does
   * not have it.
   */
  cancelPayment(reference: string): Promise<Payment | null>
  /** Makes a refund, once per key. @throws GatewayRefused if the amount exceeds the refundable amount */
  refundPayment(refund: { reference: string; amountCents: number; key: string }): Promise<void>
  methodSetups: MethodSetups
  /** Detaches a method, so that it can no longer be charged. */
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
   * Lists all payments that were made, refunded or disputed since a time, for reconciliation. Returns pages, because
   * the payments of a day may not fit into the memory. A page may be empty. An adapter that needs one call per payment
   * may omit unchanged payments that are already recorded (`findBooked`). A payment that cannot be read is listed as
   * `unreadable`, with a reference that `retrievePayment` accepts.
   */
  listPayments(time: Date, findBooked?: FindBookedPayments): AsyncIterable<Payment[]>
  /** The maximum age of payments that `listPayments` can list, in milliseconds. The default is no limit. */
  readonly listHistoryMs?: number
  /**
   * Lists the payments whose dispute was opened since a time. Called after `listPayments` could not read the disputes.
   */
  listDisputedPayments?(time: Date): Promise<Payment[]>
}
