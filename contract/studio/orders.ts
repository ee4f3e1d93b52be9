import { Type, type Static } from 'typebox'
import { gatewayIds, orderGatewayIds, orderKinds, orderStatuses, paymentMethods } from '#contract/billing.ts'
import { Cents, Currency, Id, Time, pageOf, nullable, stringEnum, pagingFields } from '#contract/schemas.ts'
import { command } from './command.ts'

/** Roles with access to orders. Personal data of customers is null for the analyst. */
const readers = ['owner', 'support', 'analyst'] as const
const supportRoles = ['owner', 'support'] as const

export const disputeStates = ['open', 'won', 'lost'] as const
const Reason = Type.String({ minLength: 1, maxLength: 200 })

/** An order in the studio's list. */
export const ListedOrder = Type.Object({
  id: Id,
  status: stringEnum(orderStatuses),
  kind: stringEnum(orderKinds),
  /** The name of the purchased video or plan; empty for a top-up. */
  title: Type.String(),
  /** The episode number, for an episode. */
  number: nullable(Type.Integer()),
  amount_cents: Cents,
  refunded_cents: Cents,
  currency: Currency,
  gateway: stringEnum(orderGatewayIds),
  method: stringEnum(paymentMethods),
  user_id: Id,
  /** Null for the analyst, and if the account was deleted. */
  email: nullable(Type.String()),
  created_at: Time,
  paid_at: nullable(Time),
  /** True for a failed renewal that can still be paid. */
  past_due: Type.Boolean(),
  /** The time of the next attempt to charge a failed renewal; null if there is none. */
  retry_at: nullable(Time),
})
export type ListedOrder = Static<typeof ListedOrder>

const attemptStates = [
  'started',
  'requires_action',
  'processing',
  'unknown',
  'succeeded',
  'failed',
  'cancelled',
] as const

/** A payment attempt of an order. */
const Attempt = Type.Object({
  id: Id,
  number: Type.Integer(),
  status: stringEnum(attemptStates),
  gateway: stringEnum(orderGatewayIds),
  /** The gateway's id of the payment. */
  reference: nullable(Type.String()),
  decline_code: nullable(Type.String()),
  started_at: Time,
  /** The time of the next status poll; null if there is none. */
  next_poll_at: nullable(Time),
  dispute_status: nullable(stringEnum(disputeStates)),
  dispute_debited_cents: Cents,
})

const Refund = Type.Object({
  id: Id,
  attempt_id: Id,
  amount_cents: Cents,
  status: stringEnum(['started', 'succeeded', 'failed']),
  reason: Type.String(),
  created_at: Time,
})

const WebhookEvent = Type.Object({
  gateway: stringEnum(gatewayIds),
  event_id: Type.String(),
  received_at: Time,
  /** Null if the event was not processed yet. */
  applied_at: nullable(Time),
})

/** A ledger entry. The entries of a transaction add up to zero; positive amounts are debits. */
const LedgerEntry = Type.Object({
  id: Id,
  transaction_id: Type.String(),
  account: Type.String(),
  amount_cents: Type.Integer(),
  currency: Currency,
  at: Time,
})

/** An entitlement of a customer, as the studio shows it. */
export const CustomerEntitlement = Type.Object({
  id: Id,
  source: stringEnum(['purchase', 'subscription']),
  /** Null for an entitlement that an operator granted. */
  order_id: nullable(Id),
  /** The reason that the operator gave. */
  reason: nullable(Type.String()),
  /** The video's title; null if the entitlement covers every video. */
  title: nullable(Type.String()),
  number: nullable(Type.Integer()),
  starts_at: Time,
  ends_at: nullable(Time),
  /**
   * When the entitlement was revoked; null if it was not. A revocation by an operator is permanent. A revocation after
   * a refund or a chargeback is undone if the refund fails or the dispute is won.
   */
  revoked_at: nullable(Time),
  /** The reason that an operator gave for the revocation. */
  revocation_reason: nullable(Type.String()),
})
export type CustomerEntitlement = Static<typeof CustomerEntitlement>

/** An order with all its details. */
export const OrderDetails = Type.Object({
  order: ListedOrder,
  subscription_id: nullable(Id),
  period_no: nullable(Type.Integer()),
  /**
   * The renewal date of the plan; null if it does not renew. The entitlement ends some days later, so that a failed
   * renewal can be retried.
   */
  renews_at: nullable(Time),
  introductory: Type.Boolean(),
  /** Set if the order was missing in the database and was recreated from its payment. */
  restored_at: nullable(Time),
  expires_at: Time,
  /** The consent text that the customer accepted. */
  consent_text: nullable(Type.String()),
  /** The amount that the caller can refund now; 0 if none. */
  refundable_cents: Cents,
  /**
   * For a top-up: its unspent paid amount minus the part of its bonus that was spent. This amount is refunded by
   * default; a larger refund requires a reason.
   */
  unspent_cents: Type.Optional(Cents),
  attempts: Type.Array(Attempt),
  refunds: Type.Array(Refund),
  webhook_events: Type.Array(WebhookEvent),
  ledger: Type.Array(LedgerEntry),
  entitlements: Type.Array(CustomerEntitlement),
})
export type OrderDetails = Static<typeof OrderDetails>

const orderFilters = {
  status: Type.Optional(stringEnum(orderStatuses)),
  gateway: Type.Optional(stringEnum(orderGatewayIds)),
  /** An e-mail address or a user id. An order number or order id is also accepted, and overrides the other filters. */
  customer: Type.Optional(Type.String({ maxLength: 254 })),
  /** Orders created at or after `since` and before `until`. */
  since: Type.Optional(Time),
  until: Type.Optional(Time),
}

export const listOrders = command({
  method: 'GET',
  path: '/api/studio/orders',
  command: 'order list',
  roles: readers,
  summary: 'Lists orders, newest first, filtered by status, gateway, customer and date',
  refuses: ['endBeforeStart'],
  query: Type.Object({ ...pagingFields, ...orderFilters }),
  data: pageOf(ListedOrder),
})

export const getOrder = command({
  method: 'GET',
  path: '/api/studio/orders/one',
  command: 'order show',
  args: ['id'],
  roles: readers,
  summary: 'Shows an order with its attempts, refunds, webhook events, ledger lines and entitlements',
  refuses: ['notFound'],
  query: Type.Object({ id: Id }),
  info: OrderDetails,
})

export const refundOrder = command({
  method: 'POST',
  path: '/api/studio/orders/refund',
  command: 'order refund',
  args: ['id'],
  confirmationFields: ['reason'],
  roles: supportRoles,
  summary: 'Refunds an order, or part of it, at its gateway',
  refuses: [
    'notFound',
    'notRefundable',
    'orderDisputed',
    'refundInProgress',
    'refundTooLarge',
    'refundHasDecimals',
    'refundReasonRequired',
    'refundOverOrderLimit',
    'refundOverDailyLimit',
    'refundDeclined',
    'editConflict',
  ],
  body: Type.Object({
    id: Id,
    /**
     * By default, the whole remaining amount; for a top-up, its unspent amount. A larger refund of a top-up requires a
     * reason.
     */
    amount_cents: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999 })),
    reason: Type.Optional(Reason),
    /** The refunded amount that the operator saw. The refund is refused if more has been refunded since. */
    known_refunded_cents: Type.Optional(Cents),
  }),
  info: Type.Object({
    refund_id: Id,
    amount_cents: Cents,
    currency: Currency,
    /** `pending`: the gateway has not responded yet; the request is retried until it does. */
    status: stringEnum(['succeeded', 'pending']),
    order_status: stringEnum(orderStatuses),
    refunded_cents: Cents,
  }),
  refusalSchemas: {
    /** The role's refund limit, per order or per day. */
    403: Type.Object({ limit_cents: Type.Optional(Cents) }),
    /** The remaining refundable amount. */
    500: Type.Object({ remaining_cents: Type.Optional(Cents) }),
  },
})

export const syncOrder = command({
  method: 'POST',
  path: '/api/studio/orders/sync',
  command: 'order sync',
  args: ['id'],
  roles: supportRoles,
  summary: 'Syncs an order with its gateway',
  refuses: ['notFound'],
  body: Type.Object({ id: Id }),
  info: Type.Object({
    /** False if a difference remains, a gateway did not respond, or a refund is still in progress. */
    settled: Type.Boolean(),
    status: stringEnum(orderStatuses),
  }),
})

/** Each page has several lines of CSV (RFC 4180); the first page starts with the column names. */
export const exportOrders = command({
  method: 'GET',
  path: '/api/studio/orders/export',
  command: 'order export',
  roles: readers,
  summary: 'Exports orders as CSV, page by page; /api/studio/orders.csv returns all pages as one file',
  refuses: ['endBeforeStart'],
  query: Type.Object({ ...orderFilters, cursor: pagingFields.cursor }),
  info: Type.Object({ csv: Type.String(), next_cursor: nullable(Type.String()) }),
})

/** A dispute (chargeback) of a payment. */
export const Dispute = Type.Object({
  attempt_id: Id,
  order: ListedOrder,
  state: stringEnum(disputeStates),
  /** The disputed amount, which stays set after a dispute is won. */
  disputed_cents: Cents,
  /** The gateway's reason code, such as `fraudulent`; null if it gives none. */
  reason: nullable(Type.String()),
  /** The deadline for a response. */
  respond_by: nullable(Time),
  /** The gateway's id of the payment. */
  reference: nullable(Type.String()),
  /** The gateway's page for responding; null for the sandbox. */
  gateway_url: nullable(Type.String()),
  /** The time of the payment. */
  started_at: Time,
})
export type Dispute = Static<typeof Dispute>

export const listDisputes = command({
  method: 'GET',
  path: '/api/studio/disputes',
  command: 'dispute list',
  roles: readers,
  summary: 'Lists disputes: open, won or lost',
  refuses: [],
  query: Type.Object({ ...pagingFields, state: Type.Optional(stringEnum(disputeStates)) }),
  data: pageOf(Dispute),
})

/** Kinds of discrepancies between the ledger and a gateway. A listed discrepancy is still retried, or was abandoned. */
export const discrepancyKinds = [
  'payment',
  'unmatched_payment',
  'attempt',
  'refund',
  'unwanted_payment',
  'webhook_event',
  'disputes',
  'unlisted',
] as const
export const Discrepancy = Type.Object({
  kind: stringEnum(discrepancyKinds),
  gateway: stringEnum(gatewayIds),
  /** The gateway's id of the item, if there is one. */
  reference: nullable(Type.String()),
  order_id: nullable(Id),
  amount_cents: nullable(Cents),
  /**
   * The amount in the ledger and the amount at the gateway, both in `currency`. `gateway_cents` is null if the gateway
   * did not report it.
   */
  ledger_cents: nullable(Type.Integer()),
  gateway_cents: nullable(Type.Integer()),
  currency: nullable(Currency),
  since: Time,
  /** True if the discrepancy is no longer retried and needs manual review. */
  abandoned: Type.Boolean(),
})
export type Discrepancy = Static<typeof Discrepancy>

/** The movements at a gateway on one day, according to the ledger. */
export const DayTotal = Type.Object({
  gateway: Type.String(),
  kind: stringEnum(['charge', 'refund', 'refund_failed', 'dispute']),
  currency: Currency,
  transactions: Type.Integer(),
  /** Positive for incoming money. */
  amount_cents: Type.Integer(),
})
export type DayTotal = Static<typeof DayTotal>

/** The change of a gateway's balance over a day, according to the ledger and to the gateway. */
export const DayBalance = Type.Object({
  gateway: stringEnum(gatewayIds),
  currency: Currency,
  ledger_cents: Type.Integer(),
  /** The ledger's amount plus the discrepancies; null until a reconciliation has run after the day's last entry. */
  gateway_cents: nullable(Type.Integer()),
})

const Reconciliation = Type.Object({
  day: Type.String(),
  /** The end of the reconciled period of each gateway; null if never reconciled. */
  gateways: Type.Array(Type.Object({ id: stringEnum(gatewayIds), reconciled_until: nullable(Time) })),
  totals: Type.Array(DayTotal),
  balances: Type.Array(DayBalance),
  discrepancies: Type.Array(Discrepancy),
})
export type Reconciliation = Static<typeof Reconciliation>

export const getReconciliation = command({
  method: 'GET',
  path: '/api/studio/reconciliation',
  command: 'reconciliation show',
  roles: readers,
  summary:
    'Shows the totals of a UTC day in the ledger and at the gateways, the last reconciliation, and discrepancies',
  refuses: [],
  query: Type.Object({ day: Type.Optional(Type.String({ pattern: String.raw`^20\d\d-[01]\d-[0-3]\d$` })) }),
  info: Reconciliation,
})

export const runReconciliation = command({
  method: 'POST',
  path: '/api/studio/reconciliation',
  command: 'reconciliation run',
  roles: supportRoles,
  summary: 'Reconciles the ledger with the gateways now, and resolves discrepancies',
  refuses: [],
  body: Type.Object({}),
  info: Reconciliation,
})
