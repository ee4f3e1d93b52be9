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

/** The viewers of one variant, and their purchases after they were exposed to the experiment. */
export interface VariantSales {
  variant: number
  exposed: number
  /** The number of viewers with at least one paid order, refunded or not. */
  buyers: number
  /**
   * Per currency: the sum of the viewers' net revenues in the ledger, and the sum of their squares. The variance is
   * calculated from both sums.
   */
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
  archived_at: Optional<Date>
}

export interface PaymentMethodsTable {
  id: string
  user_id: string
  gateway: GatewayId
  reference: string
  brand: string | null
  last4: string | null
  /** The card's expiry, or null if its gateway does not report it. */
  expires_at: Optional<Date>
  created_at: ColumnType<Date, Date, never>
  detach_attempts: Generated<number>
  /** When to try next to detach the method at the gateway. Null while it may be charged, and after the last try. */
  next_detach_at: Optional<Date>
}

/** A buyer's consent to saving the payment method of an order for further purchases. */
export interface PaymentMethodConsentsTable {
  order_id: string
  /** Null until the order is paid, and again after the method was deleted at the gateway. */
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
  /** When to try next to delete the name and address at the gateways. Null after the last attempt. */
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
  /**
   * When the renewal job handles the subscription next. While a process handles it, this is the time at which the
   * process's claim expires.
   */
  next_run_at: Optional<Date>
  /**
   * When to charge the subscription next: at the period's end, then on the dunning schedule. Null if no charge is
   * planned.
   */
  next_charge_at: Optional<Date>
  /** The end of the grace period. */
  grace_ends_at: Optional<Date>
  /** When to remind the user of the next charge. */
  remind_at: Optional<Date>
  /** The renewal price that the user agreed to. It applies until an announced price replaces it. */
  agreed_price_cents: Optional<number>
  /** The price that the user was notified of, and the time from which it applies. */
  announced_price_cents: Optional<number>
  announced_price_from: Optional<Date>
  created_at: Date
  /** When the user began to choose the current payment method. Null for the method of the first payment. */
  method_chosen_at: Optional<Date>
  /** When the gateway reported that the payment method was detached. Null if the subscription has a method again. */
  method_detached_at: Optional<Date>
  /** When its first period was paid. */
  started_at: Optional<Date>
  ended_at: Optional<Date>
}

/**
 * The reason for an automatic refund of a payment:
 * - `paid_twice`: the order was already paid
 * - `already_owned`: the buyer already owned the product
 * - `intro_price_used`: the buyer had already used an introductory price
 * - `late_payment`: the attempt had already been settled as failed or cancelled
 * - `withdrawal`: the user withdrew from the contract
 * - `account_deleted`: the user deleted the account
 */
export type AutoRefundReason =
  | 'paid_twice'
  | 'already_owned'
  | 'intro_price_used'
  | 'late_payment'
  | 'withdrawal'
  | 'account_deleted'

/**
 * The buyer's consent and its time. `terms_hash` is the hash of the shown text in `accepted_terms`; older orders store
 * the text itself.
 */
export interface Consent {
  terms_text?: string
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
  /** The saved method with which the buyer chose to pay. */
  saved_method_id: Optional<string>
  email: string
  consent: OptionalJson<Consent>
  attribution: ColumnType<OrderAttribution, string | undefined, string>
  created_at: Date
  paid_at: Optional<Date>
  expires_at: Date
  /** When the user deleted the account. The order then contains no personal data. */
  erased_at: Optional<Date>
  /** When the order was restored from its payment at the gateway, because the database had lost it. */
  restored_at: Optional<Date>
  /** The reason why a payment for the order was refunded automatically. */
  auto_refund_reason: Optional<AutoRefundReason>
  /** The bonus of a top-up, and its lifetime in days (null if it never expires). */
  bonus_cents: Optional<number>
  bonus_days: Optional<number>
  /** The part of a purchase from the balance that was paid with bonus. */
  discount_cents: Optional<number>
  /** True if auto-unlock created the order. */
  auto_unlock: Generated<boolean>
  /** True if the amount is the introductory price of the plan. */
  introductory: Generated<boolean>
  /** The rate of the included tax at the time of payment, in hundredths of a percent. */
  tax_rate: Optional<number>
  /** When the user withdrew from the contract. The payment is then refunded. */
  withdrawn_at: Optional<Date>
  withdrawal_refund_attempts: Generated<number>
  /** When to try next to refund the order after a withdrawal. Null after the last attempt. */
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
  /** Null for a link that is valid as long as its order or subscription exists. */
  expires_at: Date | null
  created_at: Date
}

interface UsedIntroPricesTable {
  hash: string
  order_id: string
}

/**
 * The common columns of payment attempts and method changes. Each row is a request to a gateway. It may wait for the
 * gateway or for the user.
 */
interface GatewayAttemptTable<Gateway extends OrderGatewayId> {
  id: string
  gateway: Gateway
  reference: Optional<string>
  status: AttemptStatus
  decline_code: Optional<string>
  next_step: OptionalJson<NextStep>
  started_at: Date
  /**
   * Keyed hash of the network from which a card was tried. Deleted when the attempt is too old to count towards the
   * limits of card failures.
   */
  network_hash: Optional<string>
  poll_count: Generated<number>
  next_poll_at: Date | null
}

/** An attempt to pay an order. */
export interface PaymentAttemptsTable extends GatewayAttemptTable<OrderGatewayId> {
  order_id: string
  number: number
  idempotency_key: string
  /** `customer` for a payment at the checkout, `merchant` for an automatic renewal. */
  initiator: Generated<'customer' | 'merchant'>
  /** The status of the dispute, if the payment was disputed. */
  dispute_status: Optional<DisputeStatus>
  /** The amount that the dispute currently withholds. Zero after the dispute was won. */
  dispute_debited_cents: Generated<number>
  /** When the dispute first withheld money. */
  dispute_opened_at: Optional<Date>
  /** The disputed amount. Unlike `dispute_debited_cents`, it does not change when the dispute is won. */
  dispute_amount_cents: Optional<number>
  /** The gateway's reason for the dispute, the deadline for a response, and the dispute's id. */
  dispute_reason: Optional<string>
  dispute_respond_by: Optional<Date>
  dispute_reference: Optional<string>
  /** True while a refund of the payment is pending at the gateway. */
  refund_pending: Generated<boolean>
}

/** An attempt to save another method for a subscription. */
export interface PaymentMethodSetupsTable extends GatewayAttemptTable<GatewayId> {
  user_id: string
  subscription_id: string
  method: PaymentMethod
}

/**
 * The cause of a refund:
 * - `requested`: an operator or customer requested it
 * - `unwanted_payment`: the payment bought nothing
 * - `gateway`: it was made at the gateway
 * - `chargeback`: the top-up that paid for the purchase was charged back
 */
export type RefundOrigin = 'requested' | 'unwanted_payment' | 'gateway' | 'chargeback'

export interface RefundsTable {
  id: string
  attempt_id: string
  /** Built by `refundKey`. */
  idempotency_key: string
  amount_cents: number
  origin: RefundOrigin
  reason: string
  /** The operator who requested the refund, if the operator's refunds are limited. */
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
  /**
   * The time at which the reports count the line, if it differs from `at` (backdated lines; docs/figures.md, "Dates").
   */
  effective_at: Optional<Date>
}

/** Ledger lines that the studio's funnel does not include yet. */
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
  /** When to try next to apply the event. Null after the last attempt. */
  next_poll_at: Optional<Date>
}

interface ReconciliationsTable {
  gateway: GatewayId
  reconciled_until: Date
  /** The end of the last reconciliation. */
  last_run_at: Optional<Date>
}

/** Discrepancies: payments of a gateway that could not be synced with our records. */
interface PaymentDiscrepanciesTable {
  gateway: GatewayId
  reference: string
  detected_at: Date
  attempt_id: string | null
  /** The paid amount minus refunds and disputed amounts, as the gateway reports them. Null if unknown. */
  gateway_cents: number | null
  currency: string | null
  abandoned: Generated<boolean>
}

/** Payments at a gateway without an order of this site. */
interface UnmatchedPaymentsTable {
  gateway: GatewayId
  reference: string
  amount_cents: number
  currency: string
  detected_at: Date
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
