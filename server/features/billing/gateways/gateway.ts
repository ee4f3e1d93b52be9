import { Type } from 'typebox'
import type { declineCodes, GatewayId, NextStep } from '#contract/billing.ts'
import type { DisputeStatus, PaymentMethod } from '#server/features/billing/statuses.ts'

/** The reason for a declined payment; an adapter maps the gateway's reasons to these. */
export type DeclineCode = (typeof declineCodes)[number]

/** A payment to make. Its key is committed here first, so that the payment can be found by it. */
export interface Charge {
  /** The idempotency key: a request that is sent again with it makes no second payment. */
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
  /** The gateway's id of the method, as in webhook events. If charging needs another id, that id and a slash precede it. */
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
  /** Empty for a payment of another shop with the same account. */
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
  /** The disputed amount; without it, the whole payment. The bank holds it while the dispute is open, and keeps it once lost. */
  disputedCents?: number
  /** Details of the dispute, for the operator who answers it at the gateway. */
  disputeDetails?: DisputeDetails
  /**
   * The gateway no longer has the payment, but still has its refund, reversal or dispute. Only `attemptId` and the dispute
   * are known then, and the status is `unreadable`.
   */
  missing?: boolean
  /** The gateway did not report whether there is a dispute; a known one is unchanged. */
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

/** Represents a payment that could not be read at the gateway, so that one bad record does not hide the others. */
export function unreadablePayment(reference: string): Payment {
  const unknown = { orderId: '', attemptId: '', amountCents: 0, refundedCents: 0, currency: '' }
  return { reference, status: 'unreadable', ...unknown }
}

/** A charge for which the gateway made no payment. Its reference is our key, which is as unique. */
export function notCreatedPayment(charge: Charge, decline: DeclineCode): Payment {
  const { key: reference, orderId, attemptId, amountCents, currency } = charge
  return { reference, status: 'failed', orderId, attemptId, amountCents, refundedCents: 0, currency, decline }
}

/** Represents a payment that the gateway no longer has. */
export function missingPayment(reference: string, attemptId = ''): Payment {
  return { ...unreadablePayment(reference), attemptId, missing: true }
}

/** The name by which `retrievePayment` finds a payment through its dispute, if its own record is gone. */
export const toDisputeReference = (disputeReference: string): string => `dispute:${disputeReference}`

/** Returns whether a name is not a payment's id. The gateways' ids have no colon. */
export const isIndirectReference = (reference: string): boolean => reference.includes(':')

export const unlistedPrefix = 'not-listed:'

/** The name of the discrepancy for a time that a gateway no longer lists. */
export const toUnlistedReference = (from: Date, to: Date): string =>
  `${unlistedPrefix}${from.toISOString()}/${to.toISOString()}`

/** Returns whether a name is that of an unlisted time, which cannot be settled. */
export const isUnlistedReference = (reference: string): boolean => reference.startsWith(unlistedPrefix)

/** The name of the `unreadable` payment that a gateway lists if it did not return its disputes. */
export const unreadDisputesReference = 'disputes'

/** A payment method to set up without a payment. */
export interface MethodSetupRequest {
  /** The idempotency key of the set-up. */
  key: string
  setupId: string
  payer: Charge['payer']
  method: PaymentMethod
  /** As with a payment. */
  token?: string
  returnUrl: string
  /** The page to which a wallet returns those who decline, if it differs. */
  cancelUrl: string
}

/** The set-up of a payment method, as the gateway reports it. */
export interface MethodSetup {
  reference: string
  status: Exclude<Payment['status'], 'unreadable'>
  /** The id of our change, if the gateway stores it. */
  setupId?: string
  /** The method, once it is saved. */
  method?: SavedMethod
  next?: NextStep
  decline?: DeclineCode
}

/** Identifies a set-up by the gateway's id or, if that is not known, by our own key. */
export type MethodSetupLookup = { reference: string } | { key: string; setupId: string; startedAt: Date }

/** Sets up payment methods without a payment. No money moves, and a method can be charged only once it is approved. */
export interface MethodSetups {
  start(request: MethodSetupRequest): Promise<MethodSetup>
  /** Completes a set-up that waited for the user, and returns it. Null if the gateway no longer has it. */
  complete(reference: string): Promise<MethodSetup | null>
  /** Null if the gateway has no such set-up. */
  retrieve(lookup: MethodSetupLookup): Promise<MethodSetup | null>
  /** Cancels a set-up that waits for the user; a saved method stays saved. Null as with `complete`. */
  cancel(reference: string): Promise<MethodSetup | null>
}

/** The third-party hosts of the card form's document, for its Content-Security-Policy. */
export interface FormHosts {
  script: readonly string[]
  frame: readonly string[]
  /** Requested by the gateway's own script. */
  connect: readonly string[]
}

/** Identifies a payment by the gateway's id or, if that is not known, by our own key. */
export type PaymentLookup = { reference: string } | { key: string; attemptId: string; startedAt: Date }

/** A gateway's id of an event, a payment or a method. */
export const GatewayReference = Type.String({ pattern: '^[!-~]{1,255}$' })

/** A webhook event: its id, and that of its payment, set-up or saved method. Everything else is read at the gateway. */
export interface WebhookEvent {
  eventId: string
  reference: string
}

/** A webhook event that is not the gateway's, is too old, or has an unknown shape. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
}

/**
 * The gateway refused a request for good, such as a refund of more than was paid. Any other error of a call leaves open
 * whether money moved.
 */
export class GatewayRefused extends Error {
  override readonly name = 'GatewayRefused'
}

/** Returns which of these payments are already booked. */
export type FindBookedPayments = (references: readonly string[]) => Promise<ReadonlySet<string>>

/**
 * The service that moves the money. Renewals, dunning and entitlements are not its task. Callers use `call-gateway.ts`, which
 * adds time limits, because calls may be slow or fail.
 */
export interface PaymentGateway {
  readonly id: GatewayId
  readonly methods: readonly PaymentMethod[]
  /** The public key, for the gateway's own script in the browser. */
  readonly publicKey?: string
  /** It cannot save methods, so it sells no subscriptions. May be known only some time after the start. */
  readonly oneOffOnly?: boolean
  /** Reads the account's permissions when the site starts. It never fails, and takes seconds at most. */
  prepare?(): Promise<void>
  /** The required webhook events that the account does not send; all of them if there is no webhook. */
  missingWebhookEvents?(): Promise<readonly string[]>
  readonly formHosts?: FormHosts
  /** The smallest amount of a currency that it can charge, in cents; one cent by default. */
  unitCents?(currency: string): number
  /** Returns whether it accepts an amount; any by default. */
  acceptsAmount?(amountCents: number, currency: string): boolean
  /**
   * Returns the step by which the browser gets a token before `createPayment`; undefined if the payment starts with the order,
   * because the browser needs it for the next step (a wallet).
   */
  tokenStep(method: PaymentMethod): NextStep | undefined
  /** Charges a one-off purchase or a first period, while the user is present. */
  createPayment(charge: OnSessionCharge): Promise<Payment>
  /** Charges a renewal, while the user is absent. */
  chargeSavedMethod(charge: OffSessionCharge): Promise<Payment>
  /** Completes a payment that waited for the user (a capture), and returns it. Null if the gateway no longer has it. */
  confirmPayment(reference: string): Promise<Payment | null>
  /**
   * Time after its start for which a payment may not be found by our own key yet; an hour by default. It is not replaced by
   * another payment before that.
   */
  readonly lookupLagMs?: number
  /** Null if the gateway has no such payment. */
  retrievePayment(lookup: PaymentLookup): Promise<Payment | null>
  /** Returns the payer's e-mail address, if the gateway has it. */
  findEmail(reference: string): Promise<string | undefined>
  /** Cancels a payment that waits for the user; one that succeeded is unchanged. Null as with `confirmPayment`. */
  cancelPayment(reference: string): Promise<Payment | null>
  /** Refunds once per key. @throws GatewayRefused for more than is left */
  refundPayment(refund: { reference: string; amountCents: number; key: string }): Promise<void>
  methodSetups: MethodSetups
  /** Detaches a method, which can then no longer be charged. */
  detachMethod(methodReference: string): Promise<void>
  /** Returns whether the gateway still has the method. */
  isMethodAttached(methodReference: string): Promise<boolean>
  /** Deletes the name and address of a user who will not pay again, if the gateway stores them. */
  deleteCustomer?(userId: string): Promise<void>
  /** @throws WebhookRefused */
  parseWebhook(
    body: Buffer,
    headers: Record<string, string | string[] | undefined>,
  ): WebhookEvent | Promise<WebhookEvent>
  /**
   * Lists all payments that were made, refunded or disputed since, for reconciliation. If each needs a call of its own,
   * those that are booked (`findBooked`) and have no later changes are left out. One that cannot be read is listed as `unreadable`,
   * under a reference by which `retrievePayment` finds it.
   */
  listPayments(time: Date, findBooked?: FindBookedPayments): Promise<Payment[]>
  /** How far back it lists, in milliseconds; without limit by default. */
  readonly listHistoryMs?: number
  /** Lists the payments with a dispute that was opened since, in case `listPayments` could not read the disputes. */
  listDisputedPayments?(time: Date): Promise<Payment[]>
}
