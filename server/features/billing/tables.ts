import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { GatewayId, NextStep, OrderGatewayId } from '#contract/billing.ts'
import type { Texts } from '#contract/languages.ts'
import type { OrderAttribution } from '#server/features/tracking/tables.ts'
import type {
  OrderKind,
  OrderStatus,
  PaymentMethod,
  AttemptStatus,
  DisputeStatus,
  SubscriptionStatus,
} from './statuses.ts'
import type { BalanceTables } from './balance/tables.ts'
import type { SandboxTables } from './gateways/sandbox/tables.ts'
import type { StripeTables } from './gateways/stripe/tables.ts'

export type {
  OrderKind,
  OrderStatus,
  PaymentMethod,
  AttemptStatus,
  DisputeStatus,
  SubscriptionStatus,
} from './statuses.ts'

/** A JSON column that is written as text. */
type Json<T extends object> = JSONColumnType<T, string, string>
type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>
type OptionalJson<T extends object> = ColumnType<T | null, string | null | undefined, string | null>

/** What the viewers of one variant paid for after they met what differs. */
export interface VariantSales {
  variant: number
  exposed: number
  /** Those who paid for anything, refunded or not. */
  buyers: number
  /** Of each currency, by the ledger: the sum of what each viewer brought, and of its square. */
  revenue: { currency: string; net_cents: number; squares: number }[]
}

export interface PlansTable {
  id: string
  names: Json<Texts>
  descriptions: Json<Texts>
  price_cents: number
  intro_price_cents: number | null
  currency: string
  period_days: number
  highlight: Generated<boolean>
  position: Generated<number>
  retired_at: Optional<Date>
}

export interface PaymentMethodsTable {
  id: string
  user_id: string
  gateway: GatewayId
  reference: string
  brand: string | null
  last4: string | null
  /** When the card is valid no more; null where its gateway does not tell. */
  expires_at: Optional<Date>
  created_at: ColumnType<Date, Date, never>
  checks: Generated<number>
  /** When to have the gateway forget it; null while it may be charged. */
  check_at: Optional<Date>
}

/** What a buyer agreed to who had the card of an order saved for further purchases. */
export interface MethodAgreementsTable {
  order_id: string
  /** Null until the order is paid, and once the gateway has forgotten the method. */
  payment_method_id: Optional<string>
  /** Of the text in `shown_terms`. */
  shown_hash: string
  agreed_at: Date
  revoked_at: Optional<Date>
}

/** People who left, of whom a gateway may keep a name and an address. */
export interface GatewayCustomersToDeleteTable {
  id: string
  checks: Generated<number>
  /** The next try to have it forgotten. */
  check_at: Optional<Date>
}

export interface SubscriptionsTable {
  id: string
  user_id: string
  plan_id: string
  payment_method_id: Optional<string>
  status: SubscriptionStatus
  period_no: Generated<number>
  period_starts_at: Optional<Date>
  period_ends_at: Optional<Date>
  cancel_at_period_end: Generated<boolean>
  /** When somebody looks at it next; while a process works on it, when that one counts as dead. */
  due_at: Optional<Date>
  /** When it is charged next: the period's end, then the tries of its grace; null for no more. */
  try_at: Optional<Date>
  /** Until when it stays while it could not be charged. */
  grace_ends_at: Optional<Date>
  /** When the person is to be reminded of the next charge. */
  remind_at: Optional<Date>
  /** What a renewal costs while the person was told of no other price. */
  agreed_cents: Optional<number>
  /** What they were told that it will cost, and from when on. */
  announced_cents: Optional<number>
  announced_from: Optional<Date>
  created_at: Date
  /** When the person began to choose the method that it is charged with; null for the one that it was paid with. */
  method_chosen_at: Optional<Date>
  /** When the gateway lost the method that it is charged with; null where it has one again. */
  method_detached_at: Optional<Date>
  /** When its first period was paid. */
  started_at: Optional<Date>
  ended_at: Optional<Date>
}

/**
 * Why money that came in is sent back by itself: the order was paid twice, its buyer has it already, the introductory price was used
 * before, the payment succeeded after it had been given up, the person withdrew, or has left.
 */
export type ReturnReason =
  | 'paid_twice'
  | 'already_owned'
  | 'intro_price_used'
  | 'too_late'
  | 'withdrawal'
  | 'person_left'

/** What the buyer agreed to: the text on the screen, by its hash in `shown_terms`, and when. Older orders have the text itself. */
export interface Consent {
  shown?: string
  shown_hash?: string
  immediate_delivery: boolean
  at: string
}

export interface OrdersTable {
  id: string
  user_id: string
  kind: OrderKind
  video_id: Optional<string>
  episode_id: Optional<string>
  plan_id: Optional<string>
  top_up_id: Optional<string>
  subscription_id: Optional<string>
  period_no: Optional<number>
  status: OrderStatus
  amount_cents: number
  refunded_cents: Generated<number>
  currency: string
  gateway: OrderGatewayId
  method: PaymentMethod
  /** The saved method that it is to be paid with, where the buyer chose that. */
  saved_method_id: Optional<string>
  email: string
  consent: OptionalJson<Consent>
  attribution: ColumnType<OrderAttribution, string | undefined, string>
  created_at: Date
  paid_at: Optional<Date>
  expires_at: Date
  /** The person left; nothing of theirs stands here any more. */
  erased_at: Optional<Date>
  /** When it was made again from its payment, since the database had lost it. */
  restored_at: Optional<Date>
  /** Why a payment for it was sent back by itself. */
  returned_reason: Optional<ReturnReason>
  /** What a top-up gives beside its amount, and for how many days; null for ever. */
  bonus_cents: Optional<number>
  bonus_days: Optional<number>
  /** What of a purchase from the balance was paid with bonus money. */
  discount_cents: Optional<number>
  /** Auto-unlock ordered it. */
  automatic: Generated<boolean>
  /** At the introductory price of the plan. */
  introductory: Generated<boolean>
  /** Of the tax in the price when it was paid, in hundredths of a percent. */
  tax_rate: Optional<number>
  /** When the person withdrew from the contract; the money goes back then. */
  withdrawn_at: Optional<Date>
  withdrawal_checks: Generated<number>
  /** When that money is tried to be sent next; null for no more. */
  withdrawal_check_at: Optional<Date>
}

export type LinkPurpose = 'claim' | 'cancel' | 'withdraw'

/** Somebody without a session who wants a link to leave by. */
interface LinkRequestsTable {
  id: Generated<number>
  purpose: 'cancel' | 'withdraw'
  email: string
  order_id: string | null
  language: string
  created_at: Date
}

/** A link that a mail about an order holds. */
interface OrderLinksTable {
  /** SHA-256 of the secret. */
  hash: Buffer
  purpose: LinkPurpose
  order_id: string
  /** Null for one that lasts as long as what it is about. */
  expires_at: Date | null
  created_at: Date
}

interface UsedIntroPricesTable {
  hash: string
  order_id: string
}

/** A try to have a gateway do something for a person, which waits for the gateway's answer and perhaps for the person. */
interface GatewayTryTable<Gateway extends OrderGatewayId> {
  id: string
  gateway: Gateway
  reference: Optional<string>
  status: AttemptStatus
  decline_code: Optional<string>
  next_step: OptionalJson<NextStep>
  started_at: Date
  /** From where a card was tried, as a keyed hash, while its failure counts. */
  network: Optional<string>
  checks: Generated<number>
  check_at: Date | null
}

/** A try to be paid for an order. */
export interface AttemptsTable extends GatewayTryTable<OrderGatewayId> {
  order_id: string
  number: number
  idempotency_key: string
  /** Who began it: the customer at the checkout, or the merchant, with a renewal. */
  initiator: Generated<'customer' | 'merchant'>
  /** How a dispute of its payment stands. */
  dispute: Optional<DisputeStatus>
  /** What is gone for the dispute at this moment. */
  disputed_cents: Generated<number>
  /** When the dispute took money first. */
  disputed_at: Optional<Date>
  /** What the dispute is about, also once it was won. */
  dispute_cents: Optional<number>
  /** Why it was opened, until when it is to be answered, and its name, as the gateway says. */
  dispute_reason: Optional<string>
  dispute_due_at: Optional<Date>
  dispute_reference: Optional<string>
  /** A refund of its payment is still on its way at the gateway. */
  refund_pending: Generated<boolean>
}

/** A try to have another method kept for a subscription. */
export interface MethodChangesTable extends GatewayTryTable<GatewayId> {
  user_id: string
  subscription_id: string
  method: PaymentMethod
}

/** Why there is a refund; see the migration. */
export type RefundOrigin = 'requested' | 'unwanted_payment' | 'gateway' | 'chargeback'

export interface RefundsTable {
  id: string
  attempt_id: string
  /** Formed by `refundKey`. */
  idempotency_key: string
  amount_cents: number
  origin: RefundOrigin
  reason: string
  /** The operator who asked for it, where they may refund no more than so much a day. */
  requested_by: ColumnType<string | null, string | null | undefined, never>
  status: 'started' | 'succeeded' | 'failed'
  checks: Generated<number>
  check_at: Date | null
  created_at: Date
}

export interface LedgerLinesTable {
  id: Generated<number>
  transaction_id: string
  order_id: string
  account: string
  amount_cents: number
  currency: string
  at: Date
  /** When the figures count it, where that is not `at`. */
  counted_at: Optional<Date>
}

/** Lines of the ledger that the studio's sums do not have yet. */
interface UncountedLinesTable {
  line_id: number
}

export interface IdempotencyKeysTable {
  user_id: string
  key: string
  call: string
  body_hash: string
  reserved_id: string
  holder: string
  held_until: Date
  answer: OptionalJson<object>
  created_at: ColumnType<Date, Date, never>
}

export interface WebhookEventsTable {
  gateway: GatewayId
  event_id: string
  reference: string
  received_at: Date
  applied_at: Optional<Date>
  checks: Generated<number>
  /** When it is tried to be applied again; null for no more. */
  check_at: Optional<Date>
}

interface ReconciliationsTable {
  gateway: GatewayId
  reconciled_to: Date
  /** When the last comparison was finished. */
  compared_at: Optional<Date>
}

/** Payments that a gateway listed and that could not be brought into line. */
interface PaymentsToCompareTable {
  gateway: GatewayId
  reference: string
  found_at: Date
  attempt_id: string | null
  /** What the gateway holds for us of it. */
  gateway_cents: number | null
  currency: string | null
  abandoned: Generated<boolean>
}

/** Money at a gateway that is for no order of ours. */
interface ForeignPaymentsTable {
  gateway: GatewayId
  reference: string
  amount_cents: number
  currency: string
  found_at: Date
}

/** The words that buyers agreed to, each text once. */
interface ShownTermsTable {
  hash: string
  text: string
  used_at: Date
}

/** What the variants of an experiment brought, as it was counted last. */
interface ExperimentSalesTable {
  experiment_id: string
  counted_at: Date
  variants: ColumnType<VariantSales[], string, string>
}

export interface BillingTables extends BalanceTables, SandboxTables, StripeTables {
  plans: PlansTable
  payment_methods: PaymentMethodsTable
  method_agreements: MethodAgreementsTable
  gateway_customers_to_delete: GatewayCustomersToDeleteTable
  subscriptions: SubscriptionsTable
  orders: OrdersTable
  attempts: AttemptsTable
  method_changes: MethodChangesTable
  refunds: RefundsTable
  ledger_lines: LedgerLinesTable
  uncounted_lines: UncountedLinesTable
  idempotency_keys: IdempotencyKeysTable
  webhook_events: WebhookEventsTable
  reconciliations: ReconciliationsTable
  payments_to_compare: PaymentsToCompareTable
  foreign_payments: ForeignPaymentsTable
  used_intro_prices: UsedIntroPricesTable
  order_links: OrderLinksTable
  link_requests: LinkRequestsTable
  experiment_sales: ExperimentSalesTable
  shown_terms: ShownTermsTable
}
