import { Type, type Static } from 'typebox'
import { gatewayIds, orderGatewayIds, orderKinds, orderStatuses, paymentMethods } from '#contract/billing.ts'
import { Cents, Currency, Id, Time, listOf, nullable, oneOf, paging } from '#contract/shapes.ts'
import { command } from './command.ts'

/** Those who have to do with money; what would name a buyer is null for the analyst. */
const readers = ['owner', 'support', 'analyst'] as const
const helpers = ['owner', 'support'] as const

export const disputeStates = ['open', 'won', 'lost'] as const
const Reason = Type.String({ minLength: 1, maxLength: 200 })

/** An order as a list of the studio shows it. */
export const ListedOrder = Type.Object({
  id: Id,
  status: oneOf(orderStatuses),
  kind: oneOf(orderKinds),
  /** The video or the plan that was bought. */
  title: Type.String(),
  /** Of an episode. */
  number: nullable(Type.Integer()),
  amount_cents: Cents,
  refunded_cents: Cents,
  currency: Currency,
  gateway: oneOf(orderGatewayIds),
  method: oneOf(paymentMethods),
  user_id: Id,
  /** Null for the analyst, and of somebody who has left. */
  email: nullable(Type.String()),
  created_at: Time,
  paid_at: nullable(Time),
  /** A renewal that could not be charged, and that may still be paid. */
  past_due: Type.Boolean(),
  /** When it is charged again; null for no more tries. */
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

/** One try to be paid for an order. */
const Attempt = Type.Object({
  id: Id,
  number: Type.Integer(),
  status: oneOf(attemptStates),
  gateway: oneOf(orderGatewayIds),
  /** The gateway's name for the payment. */
  reference: nullable(Type.String()),
  decline_code: nullable(Type.String()),
  started_at: Time,
  /** When it is looked up next; null for no more. */
  check_at: nullable(Time),
  dispute: nullable(oneOf(disputeStates)),
  disputed_cents: Cents,
})

const Refund = Type.Object({
  id: Id,
  attempt_id: Id,
  amount_cents: Cents,
  status: oneOf(['started', 'succeeded', 'failed']),
  reason: Type.String(),
  created_at: Time,
})

const Heard = Type.Object({
  gateway: oneOf(gatewayIds),
  event_id: Type.String(),
  received_at: Time,
  /** Null if it was not processed yet. */
  applied_at: nullable(Time),
})

/** A line of the books. The lines of a transaction add up to zero; positive is debit. */
const LedgerLine = Type.Object({
  id: Id,
  transaction_id: Type.String(),
  account: Type.String(),
  amount_cents: Type.Integer(),
  currency: Currency,
  at: Time,
})

/** A right to play, as the studio shows it. */
export const CustomerEntitlement = Type.Object({
  id: Id,
  source: oneOf(['purchase', 'subscription']),
  /** Null for one that was given by an operator. */
  order_id: nullable(Id),
  /** Why it was given. */
  reason: nullable(Type.String()),
  /** Null for everything there is. */
  title: nullable(Type.String()),
  number: nullable(Type.Integer()),
  starts_at: Time,
  ends_at: nullable(Time),
  /** By an operator, or because of its order's money: that may come back. */
  revoked_at: nullable(Time),
  /** Why an operator revoked it permanently. */
  revoked_for: nullable(Type.String()),
})
export type CustomerEntitlement = Static<typeof CustomerEntitlement>

/** One order with everything that is known of it. */
export const OrderFile = Type.Object({
  order: ListedOrder,
  subscription_id: nullable(Id),
  period_no: nullable(Type.Integer()),
  /** When the plan that this order paid for renews; null if it does not. What it gave lasts some days longer, for a renewal that fails. */
  renews_at: nullable(Time),
  introductory: Type.Boolean(),
  /** When it was made again from its payment, since the database had lost it. */
  restored_at: nullable(Time),
  expires_at: Time,
  /** The words that the buyer agreed to. */
  agreed_to: nullable(Type.String()),
  /** How much the caller may refund of it now; 0 if nothing can be refunded. */
  refundable_cents: Cents,
  /**
   * Of a top-up: what is left of it in the balance, less the bonus of it that is spent. This is refunded if no amount is given; more
   * needs a reason.
   */
  unspent_cents: Type.Optional(Cents),
  attempts: Type.Array(Attempt),
  refunds: Type.Array(Refund),
  notifications: Type.Array(Heard),
  ledger: Type.Array(LedgerLine),
  entitlements: Type.Array(CustomerEntitlement),
})
export type OrderFile = Static<typeof OrderFile>

const filters = {
  status: Type.Optional(oneOf(orderStatuses)),
  gateway: Type.Optional(oneOf(orderGatewayIds)),
  /** An e-mail or a user's id; or an order's number or id, which is found by it alone. */
  person: Type.Optional(Type.String({ maxLength: 254 })),
  /** Orders made from this moment on, and before that one. */
  since: Type.Optional(Time),
  until: Type.Optional(Time),
}

export const listOrders = command({
  method: 'GET',
  path: '/api/studio/orders',
  command: 'order list',
  roles: readers,
  summary: 'Lists orders, newest first, filtered by status, gateway, customer and date',
  refuses: ['spanBackwards'],
  query: Type.Object({ ...paging, ...filters }),
  data: listOf(ListedOrder),
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
  info: OrderFile,
})

export const refundOrder = command({
  method: 'POST',
  path: '/api/studio/orders/refund',
  command: 'order refund',
  args: ['id'],
  confirmed: ['reason'],
  roles: helpers,
  summary: 'Refunds an order, or part of it, at its gateway',
  refuses: [
    'notFound',
    'notRefundable',
    'orderDisputed',
    'refundUnderWay',
    'refundTooLarge',
    'refundNotWhole',
    'reasonNeeded',
    'refundOverLimit',
    'refundOverDay',
    'refundRefused',
    'movedOn',
  ],
  body: Type.Object({
    id: Id,
    /** The remaining amount if omitted; of a top-up what is not spent. More than that needs a reason. */
    cents: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999 })),
    reason: Type.Optional(Reason),
    /** What had gone back when somebody decided on this; where more has gone since, it is refused. */
    known_refunded_cents: Type.Optional(Cents),
  }),
  info: Type.Object({
    refund_id: Id,
    amount_cents: Cents,
    currency: Currency,
    /** `sending`: the gateway gave no answer yet, and is asked again until it does. */
    status: oneOf(['done', 'sending']),
    order_status: oneOf(orderStatuses),
    refunded_cents: Cents,
  }),
  refusals: {
    /** What of one order, or of all orders within a day, the role may refund. */
    403: Type.Object({ limit_cents: Type.Optional(Cents) }),
    /** What is left of it. */
    500: Type.Object({ left_cents: Type.Optional(Cents) }),
  },
})

export const checkOrder = command({
  method: 'POST',
  path: '/api/studio/orders/check',
  command: 'order check',
  args: ['id'],
  roles: helpers,
  summary: 'Syncs an order with its gateway',
  refuses: ['notFound'],
  body: Type.Object({ id: Id }),
  info: Type.Object({
    /** False where a gateway gave no answer, or a refund is still under way. */
    settled: Type.Boolean(),
    status: oneOf(orderStatuses),
  }),
})

/** A page is some lines of CSV (RFC 4180); the first line of the first page has the column names. */
export const exportOrders = command({
  method: 'GET',
  path: '/api/studio/orders/export',
  command: 'order export',
  roles: readers,
  summary: 'Exports orders as CSV, page by page; /api/studio/orders.csv returns all pages as one file',
  refuses: ['spanBackwards'],
  query: Type.Object({ ...filters, cursor: paging.cursor }),
  info: Type.Object({ csv: Type.String(), next_cursor: nullable(Type.String()) }),
})

/** A payment that a buyer has had their bank take back. */
export const Dispute = Type.Object({
  attempt_id: Id,
  order: ListedOrder,
  state: oneOf(disputeStates),
  /** What it is about, also once it was won. */
  disputed_cents: Cents,
  /** In the gateway's words, such as `fraudulent`; null if it gives none. */
  reason: nullable(Type.String()),
  /** The deadline for a response. */
  respond_by: nullable(Time),
  /** Its payment, as the gateway names it. */
  reference: nullable(Type.String()),
  /** Where it is answered; null for the sandbox. */
  gateway_url: nullable(Type.String()),
  /** When the payment was made. */
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
  query: Type.Object({ ...paging, state: Type.Optional(oneOf(disputeStates)) }),
  data: listOf(Dispute),
})

/** A discrepancy, which the site still tries to settle or has stopped trying to. */
export const mismatchKinds = [
  'payment',
  'foreign_payment',
  'attempt',
  'refund',
  'return',
  'notification',
  'disputes',
  'unlisted',
] as const
export const Mismatch = Type.Object({
  kind: oneOf(mismatchKinds),
  gateway: oneOf(gatewayIds),
  /** The gateway's id of it, if there is one. */
  reference: nullable(Type.String()),
  order_id: nullable(Id),
  amount_cents: nullable(Cents),
  /** What our books have of it in this currency, and what the gateway says that it holds; null if it has not said. */
  ours_cents: nullable(Type.Integer()),
  theirs_cents: nullable(Type.Integer()),
  currency: nullable(Currency),
  since: Time,
  /** It is not looked up any more: somebody has to look. */
  abandoned: Type.Boolean(),
})
export type Mismatch = Static<typeof Mismatch>

/** What moved at a gateway on one day, by our books. */
export const DayTotal = Type.Object({
  gateway: Type.String(),
  kind: oneOf(['charge', 'refund', 'refund_failed', 'dispute']),
  currency: Currency,
  transactions: Type.Integer(),
  /** Positive for what came in. */
  amount_cents: Type.Integer(),
})
export type DayTotal = Static<typeof DayTotal>

/** What a gateway held more at a day's end than at its beginning, by our books and by its own word. */
export const DayBalance = Type.Object({
  gateway: oneOf(gatewayIds),
  currency: Currency,
  ours_cents: Type.Integer(),
  /** Ours and what was found not to match; null until a comparison has covered all that our books have of the day. */
  theirs_cents: nullable(Type.Integer()),
})

const Reconciliation = Type.Object({
  day: Type.String(),
  /** Up to when what each gateway has was compared with what we have; null for never. */
  gateways: Type.Array(Type.Object({ id: oneOf(gatewayIds), reconciled_to: nullable(Time) })),
  totals: Type.Array(DayTotal),
  balances: Type.Array(DayBalance),
  mismatches: Type.Array(Mismatch),
})
export type Reconciliation = Static<typeof Reconciliation>

export const getReconciliation = command({
  method: 'GET',
  path: '/api/studio/reconciliation',
  command: 'reconciliation show',
  roles: readers,
  summary: 'Shows a UTC day in the ledger and at the gateways, the last reconciliation, and discrepancies',
  refuses: [],
  query: Type.Object({ day: Type.Optional(Type.String({ pattern: String.raw`^20\d\d-[01]\d-[0-3]\d$` })) }),
  info: Reconciliation,
})

export const runReconciliation = command({
  method: 'POST',
  path: '/api/studio/reconciliation',
  command: 'reconciliation run',
  roles: helpers,
  summary: 'Reconciles the ledger with the gateways now, and settles what differs',
  refuses: [],
  body: Type.Object({}),
  info: Reconciliation,
})
