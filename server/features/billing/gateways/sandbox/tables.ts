import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { DeclineCode } from '#server/features/billing/gateways/gateway.ts'
import type { DisputeStatus } from '#server/features/billing/statuses.ts'
import type { Behaviour } from './cards.ts'

export interface SandboxTokensTable {
  token: string
  behaviour: Behaviour
  brand: string
  last4: string
  expires_at: Date
  card_expires_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface SandboxPaymentMethodsTable {
  id: string
  behaviour: Behaviour
  brand: string
  last4: string | null
  card_expires_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  detached_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

/** The metadata that is stored with a payment. */
interface PaymentMetadata {
  order_id: string
  attempt_id: string
  purchase?: string
  /** The payer's user id. `email` is the payer's address until the account is deleted. */
  payer?: string
  email?: string
}

export interface SandboxPaymentsTable {
  id: string
  idempotency_key: string
  request_hash: string
  kind: 'card' | 'wallet' | 'saved'
  status: 'requires_action' | 'succeeded' | 'failed' | 'cancelled'
  decline_code: DeclineCode | null
  amount_cents: number
  currency: string
  method_id: string | null
  saved: boolean
  metadata: JSONColumnType<PaymentMetadata, string, never>
  return_url: string
  created_at: Date
}

/** The setup of a method that is saved without a payment. */
export interface SandboxMethodSetupsTable {
  id: string
  idempotency_key: string
  request_hash: string
  kind: 'card' | 'wallet'
  status: SandboxPaymentsTable['status']
  decline_code: DeclineCode | null
  method_id: string | null
  method_setup_id: string
  return_url: string
  cancel_url: string
  created_at: Date
}

interface SandboxRefundsTable {
  idempotency_key: string
  payment_id: string
  amount_cents: number
  created_at: Date
  failed_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface SandboxDisputesTable {
  payment_id: string
  status: DisputeStatus
  amount_cents: number
  changed_at: Date
}

interface SandboxClockTable {
  singleton: Generated<boolean>
  offset_ms: number
}

/** The records of the sandbox, which only the sandbox reads. */
export interface SandboxTables {
  sandbox_tokens: SandboxTokensTable
  sandbox_payment_methods: SandboxPaymentMethodsTable
  sandbox_payments: SandboxPaymentsTable
  sandbox_method_setups: SandboxMethodSetupsTable
  sandbox_refunds: SandboxRefundsTable
  sandbox_disputes: SandboxDisputesTable
  sandbox_clock: SandboxClockTable
}
