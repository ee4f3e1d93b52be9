import { Type } from 'typebox'
import type { declineCodes, GatewayId, NextStep } from '#contract/billing.ts'
import type { DisputeStatus, PaymentMethod } from '#server/features/billing/statuses.ts'

/** Why a payment did not go through, in our words; an adapter maps its own to these. */
export type DeclineCode = (typeof declineCodes)[number]

/** What is asked of a gateway. The key is committed on our side before, so that the payment can be found by it. */
export interface Charge {
  /** The same key stands for the same payment, however often it is sent. */
  key: string
  orderId: string
  attemptId: string
  amountCents: number
  currency: string
  payer: { userId: string; email: string; firstName?: string; lastName?: string }
  /** What it buys, as purchase.ts writes it. The gateway remembers it with the payment. */
  purchase: string
}

/** A payment that the person is there for. */
export interface PresentCharge extends Charge {
  method: PaymentMethod
  /** What the browser got from the gateway for the card; a wallet needs none. */
  token?: string
  /** A method that the gateway kept, to be charged in place of a token. The bank may still ask the person. */
  methodReference?: string
  /** Whether the gateway is to keep the method, for renewals or further purchases. */
  save: boolean
  /** Where a wallet sends the person afterwards. */
  returnUrl: string
}

/** A renewal, with a method that the gateway kept. */
interface SavedCharge extends Charge {
  methodReference: string
}

interface SavedMethod {
  /** Its own name, which a notification gives; where that is not enough to charge it, after another and a slash. */
  reference: string
  brand: string | null
  last4: string | null
  /** When a card is valid no more; undefined where the gateway does not tell. */
  expiresAt?: Date
  /** The same for the same card or wallet, whoever kept it; undefined where the gateway does not tell. */
  fingerprint?: string
}

/** A payment as the gateway knows it. */
export interface Payment {
  reference: string
  /** `unreadable`: the gateway reports a state that this site does not know. An operator has to look at it. */
  status: 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled' | 'unreadable'
  /** Empty for a payment that another shop of the same account took. */
  orderId: string
  attemptId: string
  /** What it was asked to remember of what the payment buys. */
  purchase?: string
  amountCents: number
  refundedCents: number
  /** Some of `refundedCents` is still on its way and may come back. */
  refundPending?: boolean
  /** Empty where the gateway's answer could not be read. */
  currency: string
  /** There where it was kept. */
  method?: SavedMethod
  /** What the browser has to do, where the status is `requires_action`. */
  next?: NextStep
  decline?: DeclineCode
  /** There where the person has had their bank take the money back, and how that stands. */
  dispute?: DisputeStatus
  /** How much of it the dispute is about; without it, the whole. It is gone while the dispute is open, and once it is lost. */
  disputedCents?: number
  /** What else the gateway says of the dispute, for the operator who answers it there. */
  disputeDetails?: DisputeDetails
  /**
   * The gateway has no record of the payment any more, but something else of it: that it was refunded, reversed or disputed.
   * Nothing but `attemptId` and the dispute is known of it then, and the status is `unreadable`.
   */
  gone?: boolean
  /** The gateway did not say whether there is a dispute: what is known of one stays. */
  disputeUnread?: boolean
}

export interface DisputeDetails {
  /** The gateway's name for the dispute. */
  reference?: string
  /** In the gateway's words, such as `fraudulent`. */
  reason?: string
  /** Until when it is to be answered. */
  dueAt?: Date
}

/** Stands for a payment whose record at the gateway could not be read, so that one bad record does not hide the others. */
export function unreadablePayment(reference: string): Payment {
  const unknown = { orderId: '', attemptId: '', amountCents: 0, refundedCents: 0, currency: '' }
  return { reference, status: 'unreadable', ...unknown }
}

/** Stands for a payment that is gone at the gateway. */
export function gonePayment(reference: string, attemptId = ''): Payment {
  return { ...unreadablePayment(reference), attemptId, gone: true }
}

/** By which `retrieve` finds a payment through its dispute, where its own record is gone. */
export const disputeName = (disputeReference: string): string => `dispute:${disputeReference}`

/** Whether a name is not a payment's own. The gateways' own names have no colon. */
export const isNamedOtherwise = (name: string): boolean => name.includes(':')

export const unlistedStart = 'not-listed:'

/** Under which a time is a discrepancy that a gateway no longer lists. */
export const unlistedName = (from: Date, to: Date): string =>
  `${unlistedStart}${from.toISOString()}/${to.toISOString()}`

/** Whether a name is that of a time; nothing settles it. */
export const isUnlistedTime = (name: string): boolean => name.startsWith(unlistedStart)

/** Under which a gateway lists as `unreadable` that it did not give its disputes. */
export const unreadDisputes = 'disputes'

/** What is asked of a gateway where a method is to be kept without a payment. */
export interface MethodSetupRequest {
  /** The same key stands for the same saving, however often it is sent. */
  key: string
  changeId: string
  payer: Charge['payer']
  method: PaymentMethod
  /** As with a payment. */
  token?: string
  returnUrl: string
  /** Where a wallet sends those who do not agree, where that is another place. */
  cancelUrl: string
}

/** A method that is kept without a payment, as the gateway knows it. */
export interface MethodSetup {
  reference: string
  status: Exclude<Payment['status'], 'unreadable'>
  /** Where the gateway remembers it. */
  changeId?: string
  /** There once it is kept. */
  method?: SavedMethod
  next?: NextStep
  decline?: DeclineCode
}

/** Where to look a saving up, as with a payment. */
export type MethodSetupLookup = { reference: string } | { key: string; changeId: string; startedAt: Date }

/** Keeps methods without a payment. No money moves, and nothing that was not approved can be charged. */
export interface MethodSetups {
  start(request: MethodSetupRequest): Promise<MethodSetup>
  /** Brings a saving on that waited for the person, and reads it. Null where the gateway has it no more. */
  complete(reference: string): Promise<MethodSetup | null>
  /** Null where the gateway has no such saving. */
  retrieve(lookup: MethodSetupLookup): Promise<MethodSetup | null>
  /** Gives up a saving that waits for the person. A method that is kept stays so. Null as with `complete`. */
  cancel(reference: string): Promise<MethodSetup | null>
}

/** The foreign hosts that the card form's document has to turn to, as a Content-Security-Policy names them. */
export interface FormHosts {
  script: readonly string[]
  frame: readonly string[]
  /** Asked by the gateway's own script. */
  connect: readonly string[]
}

/** Where to look a payment up: by the gateway's name for it, or by what we know where we never heard that name. */
export type PaymentLookup = { reference: string } | { key: string; attemptId: string; startedAt: Date }

/** The name that a gateway has for an event, a payment or a method. */
export const GatewayName = Type.String({ pattern: '^[!-~]{1,255}$' })

/** What a gateway told us: which event, and about which payment, saving or saved method. Everything else is read at the gateway. */
export interface WebhookEvent {
  eventId: string
  reference: string
}

/** A notification that is not the gateway's, too old, or of a shape that its events do not have. */
export class WebhookRefused extends Error {
  override readonly name = 'NotificationRefused'
}

/**
 * The gateway understood and will not: a key that was used for another request, a refund of more than there is.
 * Anything else that a call throws says nothing about whether money moved.
 */
export class GatewayRefused extends Error {
  override readonly name = 'GatewayRefused'
}

/** Which of these payments' money is in our books already. */
export type Settled = (references: readonly string[]) => Promise<ReadonlySet<string>>

/**
 * The party that moves the money (billing.md, "The port"). Renewals, dunning and entitlement are ours, not its.
 * Each call may take long or fail; callers go through `call-gateway.ts`, which bounds it.
 */
export interface PaymentGateway {
  readonly id: GatewayId
  readonly methods: readonly PaymentMethod[]
  /** What a browser may know, for the gateway's own script. */
  readonly publicKey?: string
  /** It can keep no method here, so no subscription is sold through it. May be known only some time after the start. */
  readonly oneOffOnly?: boolean
  /** Finds out, as the site starts, what the account may do. It never fails, and takes seconds at most. */
  prepare?(): Promise<void>
  /** The webhook events that the account does not send and that this site needs; everything where there is no webhook. */
  missingEvents?(): Promise<readonly string[]>
  readonly formHosts?: FormHosts
  /** The smallest unit that it knows of a currency, in our cents; without the question one cent. */
  unitCents?(currency: string): number
  /** Whether it takes such an amount at all; without the question it takes any. */
  takes?(amountCents: number, currency: string): boolean
  /**
   * How the browser gets the token for a method before `start`; undefined where the payment starts with the order,
   * since the browser needs it for the next step (a wallet).
   */
  tokenStep(method: PaymentMethod): NextStep | undefined
  /** One-off or first period, while the person is there. */
  createPayment(charge: PresentCharge): Promise<Payment>
  /** A renewal, while the person is not. */
  chargeSavedMethod(charge: SavedCharge): Promise<Payment>
  /** Brings a payment on that waited for the person (a capture), and reads it. Null where the gateway has it no more. */
  confirmPayment(reference: string): Promise<Payment | null>
  /**
   * How long after a payment began it may not be found yet without the gateway's own name for it; without it, an hour. No
   * other payment is made in its place before that.
   */
  readonly visibleWithinMs?: number
  /** Null where the gateway has no such payment. */
  retrievePayment(lookup: PaymentLookup): Promise<Payment | null>
  /** The e-mail address that it knows of the person who made a payment. */
  findEmail(reference: string): Promise<string | undefined>
  /** Gives up a payment that waits for the person. One that has succeeded stays so. Null as with `complete`. */
  cancelPayment(reference: string): Promise<Payment | null>
  /** Once per key. @throws GatewayRefused for more than is left */
  refundPayment(refund: { reference: string; amountCents: number; key: string }): Promise<void>
  methodSetups: MethodSetups
  /** The method can be charged no more. */
  detachMethod(methodReference: string): Promise<void>
  /** Whether it still has the method. */
  isMethodAttached(methodReference: string): Promise<boolean>
  /** Forgets the name and address of a person, where it keeps any; they pay no more. */
  deleteCustomer?(userId: string): Promise<void>
  /** @throws NotificationRefused */
  parseWebhook(
    body: Buffer,
    headers: Record<string, string | string[] | undefined>,
  ): WebhookEvent | Promise<WebhookEvent>
  /**
   * Every payment made since, and every one refunded or disputed since: for reconciliation. Where each costs a call of its
   * own, those that are `settled` and that nothing befell since are left out. One that cannot be read is listed as `unreadable`, under
   * a name by which `retrieve` finds it.
   */
  listPayments(time: Date, settled?: Settled): Promise<Payment[]>
  /** How far back it lists; without it, any time. */
  readonly listsForMs?: number
  /** The payments with a dispute that was opened since, as far back as it lists those, where `listSince` may not have been able to read disputes. */
  listDisputed?(time: Date): Promise<Payment[]>
}
