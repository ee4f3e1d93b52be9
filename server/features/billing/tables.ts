import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { GatewayId, NextStep, OrderGatewayId } from '#contract/billing.ts'
import type { LocalizedText } from '#contract/languages.ts'
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

/** The purchases of one variant's viewers after their exposure. */
export interface VariantSales {
  variant: number
  exposed: number
  /** Viewers who paid for anything, refunded or not. */
  buyers: number
  /** For each currency, by the ledger: the sum of the net revenue per viewer, and of its squares. */
  revenue: { currency: string; net_cents: number; squares: number }[]
}

export interface PlansTable {
  id: string
  names: Json<LocalizedText>
  descriptions: Json<LocalizedText>
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
  /** The card's expiry; null if its gateway does not report it. */
  expires_at: Optional<Date>
  created_at: ColumnType<Date, Date, never>
  detach_attempts: Generated<number>
  /** When to delete it at the gateway; null while it may be charged. */
  next_detach_at: Optional<Date>
}

/** A buyer's consent to saving the card of an order for further purchases. */
export interface PaymentMethodConsentsTable {
  order_id: string
  /** Null until the order is paid, and once the method was deleted at the gateway. */
  payment_method_id: Optional<string>
  /** Hash of the text in `accepted_terms`. */
  terms_hash: string
  consented_at: Date
  revoked_at: Optional<Date>
}

/** Deleted users whose name and address a gateway may still store. */
export interface GatewayCustomersToDeleteTable {
  id: string
  poll_count: Generated<number>
  /** The next attempt to delete them there. */
  next_poll_at: Optional<Date>
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
  /** The next run of the renewal job on it; while a process works on it, when that process counts as crashed. */
  next_run_at: Optional<Date>
  /** When it is charged next: the period's end, then the attempts of its grace period; null for never. */
  next_charge_at: Optional<Date>
  /** The end of its grace period. */
  grace_ends_at: Optional<Date>
  /** When to remind the user of the next charge. */
  remind_at: Optional<Date>
  /** The price of a renewal unless the user was notified of another. */
  agreed_price_cents: Optional<number>
  /** The price that the user was notified of, and from when it applies. */
  announced_price_cents: Optional<number>
  announced_price_from: Optional<Date>
  created_at: Date
  /** When the user started to choose the method that it is charged with; null for the one that first paid. */
  method_chosen_at: Optional<Date>
  /** When the gateway lost the method that it is charged with; null if it has one again. */
  method_detached_at: Optional<Date>
  /** When its first period was paid. */
  started_at: Optional<Date>
  ended_at: Optional<Date>
}

/**
 * The reason why a payment is refunded automatically: the order was paid twice, its buyer already owns the product, the
 * introductory price was used before, the payment succeeded after it had been abandoned, or the user withdrew or deleted the
 * account.
 */
export type AutoRefundReason =
  | 'paid_twice'
  | 'already_owned'
  | 'intro_price_used'
  | 'too_late'
  | 'withdrawal'
  | 'account_deleted'

/** The buyer's consent: the shown text, by its hash in `accepted_terms`, and the time. Older orders have the text itself. */
export interface Consent {
  shown?: string
  terms_hash?: string
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
  /** The saved method to pay with, if the buyer chose that. */
  saved_method_id: Optional<string>
  email: string
  consent: OptionalJson<Consent>
  attribution: ColumnType<OrderAttribution, string | undefined, string>
  created_at: Date
  paid_at: Optional<Date>
  expires_at: Date
  /** When the user deleted the account; the order contains no personal data any more. */
  erased_at: Optional<Date>
  /** When it was restored from its payment, because the database had lost it. */
  restored_at: Optional<Date>
  /** The reason why a payment for it was refunded automatically. */
  auto_refund_reason: Optional<AutoRefundReason>
  /** The bonus of a top-up, and its days; null for no expiry. */
  bonus_cents: Optional<number>
  bonus_days: Optional<number>
  /** The part of a purchase from the balance that bonus paid. */
  discount_cents: Optional<number>
  /** True if auto-unlock ordered it. */
  auto_unlock: Generated<boolean>
  /** True if it has the introductory price of the plan. */
  introductory: Generated<boolean>
  /** The rate of the included tax when it was paid, in hundredths of a percent. */
  tax_rate: Optional<number>
  /** When the user withdrew from the contract; the money is refunded then. */
  withdrawn_at: Optional<Date>
  withdrawal_refund_attempts: Generated<number>
  /** The next attempt to refund that money; null for no more. */
  next_withdrawal_refund_at: Optional<Date>
}

export type LinkPurpose = 'claim' | 'cancel' | 'withdraw'

/** A request for a cancellation or withdrawal link by a client without a session. */
interface LinkRequestsTable {
  id: Generated<number>
  purpose: 'cancel' | 'withdraw'
  email: string
  order_id: string | null
  language: string
  created_at: Date
}

/** A link in a mail about an order. */
interface OrderLinksTable {
  /** SHA-256 of the secret. */
  hash: Buffer
  purpose: LinkPurpose
  order_id: string
  /** Null for a link that lasts as long as its order or subscription. */
  expires_at: Date | null
  created_at: Date
}

interface UsedIntroPricesTable {
  hash: string
  order_id: string
}

/** An attempt at a gateway for a user, which waits for the gateway's answer and perhaps for the user. */
interface GatewayAttemptTable<Gateway extends OrderGatewayId> {
  id: string
  gateway: Gateway
  reference: Optional<string>
  status: AttemptStatus
  decline_code: Optional<string>
  next_step: OptionalJson<NextStep>
  started_at: Date
  /** The network from which a card was tried, as a keyed hash, while its failure counts. */
  network_hash: Optional<string>
  poll_count: Generated<number>
  next_poll_at: Date | null
}

/** An attempt to pay an order. */
export interface PaymentAttemptsTable extends GatewayAttemptTable<OrderGatewayId> {
  order_id: string
  number: number
  idempotency_key: string
  /** The initiator: the customer at the checkout, or the merchant, with a renewal. */
  initiator: Generated<'customer' | 'merchant'>
  /** The state of its payment's dispute. */
  dispute_status: Optional<DisputeStatus>
  /** The amount currently taken by the dispute. */
  dispute_debited_cents: Generated<number>
  /** When the dispute first took money. */
  dispute_opened_at: Optional<Date>
  /** The disputed amount, even after the dispute was won. */
  dispute_amount_cents: Optional<number>
  /** The gateway's reason for the dispute, the deadline for an answer, and its id. */
  dispute_reason: Optional<string>
  dispute_respond_by: Optional<Date>
  dispute_reference: Optional<string>
  /** True while a refund of its payment is still pending at the gateway. */
  refund_pending: Generated<boolean>
}

/** An attempt to save another method for a subscription. */
export interface PaymentMethodSetupsTable extends GatewayAttemptTable<GatewayId> {
  user_id: string
  subscription_id: string
  method: PaymentMethod
}

/** The origin of a refund; see the migration. */
export type RefundOrigin = 'requested' | 'unwanted_payment' | 'gateway' | 'chargeback'

export interface RefundsTable {
  id: string
  attempt_id: string
  /** Formed by `refundKey`. */
  idempotency_key: string
  amount_cents: number
  origin: RefundOrigin
  reason: string
  /** The operator who requested it, if they have a daily limit. */
  requested_by: ColumnType<string | null, string | null | undefined, never>
  status: 'started' | 'succeeded' | 'failed'
  poll_count: Generated<number>
  next_poll_at: Date | null
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
  /** The time under which the figures count it, if it is not `at`. */
  effective_at: Optional<Date>
}

/** Lines of the ledger that the studio's sums do not include yet. */
interface UnaggregatedLedgerLinesTable {
  line_id: number
}

export interface IdempotencyKeysTable {
  user_id: string
  key: string
  request_path: string
  request_hash: string
  reserved_id: string
  lease_owner: string
  lease_expires_at: Date
  response: OptionalJson<object>
  created_at: ColumnType<Date, Date, never>
}

export interface WebhookEventsTable {
  gateway: GatewayId
  event_id: string
  reference: string
  received_at: Date
  applied_at: Optional<Date>
  poll_count: Generated<number>
  /** The next attempt to apply it; null for no more. */
  next_poll_at: Optional<Date>
}

interface ReconciliationsTable {
  gateway: GatewayId
  reconciled_until: Date
  /** When the last comparison was finished. */
  last_run_at: Optional<Date>
}

/** Payments that a gateway listed and that could not be settled. */
interface PaymentDiscrepanciesTable {
  gateway: GatewayId
  reference: string
  found_at: Date
  attempt_id: string | null
  /** The amount that the gateway holds for us. */
  gateway_cents: number | null
  currency: string | null
  abandoned: Generated<boolean>
}

/** Money at a gateway that is for no order of ours. */
interface UnmatchedPaymentsTable {
  gateway: GatewayId
  reference: string
  amount_cents: number
  currency: string
  found_at: Date
}

/** The terms that buyers agreed to, each text once. */
interface AcceptedTermsTable {
  hash: string
  text: string
  used_at: Date
}

/** The sales of an experiment's variants, as last counted. */
interface ExperimentSalesTable {
  experiment_id: string
  counted_at: Date
  variants: ColumnType<VariantSales[], string, string>
}

export interface BillingTables extends BalanceTables, SandboxTables, StripeTables {
  plans: PlansTable
  payment_methods: PaymentMethodsTable
  payment_method_consents: PaymentMethodConsentsTable
  gateway_customers_to_delete: GatewayCustomersToDeleteTable
  subscriptions: SubscriptionsTable
  orders: OrdersTable
  payment_attempts: PaymentAttemptsTable
  payment_method_setups: PaymentMethodSetupsTable
  refunds: RefundsTable
  ledger_lines: LedgerLinesTable
  unaggregated_ledger_lines: UnaggregatedLedgerLinesTable
  idempotency_keys: IdempotencyKeysTable
  webhook_events: WebhookEventsTable
  reconciliations: ReconciliationsTable
  payment_discrepancies: PaymentDiscrepanciesTable
  unmatched_payments: UnmatchedPaymentsTable
  used_intro_prices: UsedIntroPricesTable
  order_links: OrderLinksTable
  link_requests: LinkRequestsTable
  experiment_sales: ExperimentSalesTable
  accepted_terms: AcceptedTermsTable
}
