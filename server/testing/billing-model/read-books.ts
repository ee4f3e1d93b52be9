import { sql } from 'kysely'
import type { Payment, PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import type {
  AttemptStatus,
  DisputeStatus,
  OrderKind,
  OrderStatus,
  PaymentMethod,
  SubscriptionStatus,
} from '#server/features/billing/tables.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Db, Tables } from '#server/tables.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

/** A time in milliseconds since 1970. */
export type EpochMs = number

export interface OrderEntry {
  id: string
  user_id: string
  kind: OrderKind
  status: OrderStatus
  method: PaymentMethod
  episode_id: string | null
  video_id: string | null
  plan_id: string | null
  subscription_id: string | null
  period_no: number | null
  amount_cents: number
  refunded_cents: number
  introductory: boolean
  /** Length of the plan's period in days; null for other products. */
  period_days: number | null
  paid_at: EpochMs | null
  expires_at: EpochMs
}

export interface AttemptEntry {
  id: string
  order_id: string
  number: number
  key: string
  status: AttemptStatus
  reference: string | null
  decline_code: string | null
  dispute_status: DisputeStatus | null
  dispute_debited_cents: number
  started_at: EpochMs
  next_poll_at: EpochMs | null
}

interface RefundEntry {
  id: string
  attempt_id: string
  amount_cents: number
  status: 'started' | 'succeeded' | 'failed'
  reason: string
}

export interface SubscriptionEntry {
  id: string
  user_id: string
  plan_id: string
  status: SubscriptionStatus
  period_no: number
  period_ends_at: EpochMs | null
  grace_ends_at: EpochMs | null
  cancelled: boolean
  has_method: boolean
}

export interface EntitlementEntry {
  order_id: string
  user_id: string
  source: 'purchase' | 'subscription'
  video_id: string | null
  episode_id: string | null
  starts_at: EpochMs
  ends_at: EpochMs | null
  revoked: boolean
}

interface LedgerEntry {
  transaction_id: string
  order_id: string
  account: string
  cents: number
}

/** A change of a status. `Books.changes` lists the changes in the order in which the database recorded them. */
export interface StateChange {
  kind: 'orders' | 'payment_attempts' | 'subscriptions' | 'refunds'
  id: string
  was: string
  is: string
}

/** All records of money in the site and its gateway at one time. */
export interface Books {
  orders: OrderEntry[]
  attempts: AttemptEntry[]
  refunds: RefundEntry[]
  subscriptions: SubscriptionEntry[]
  entitlements: EntitlementEntry[]
  lines: LedgerEntry[]
  changes: StateChange[]
  /** Payments as the gateway lists them. */
  payments: Payment[]
}

const trackedTables = ['orders', 'payment_attempts', 'subscriptions', 'refunds'] as const

/** Installs triggers in the test database that record each state change. */
export async function recordStateChanges(db: Db): Promise<void> {
  await sql`
    CREATE TABLE state_changes (number bigint GENERATED ALWAYS AS IDENTITY, kind text, id text, was text, "is" text)`.execute(
    db,
  )
  await sql`
    CREATE FUNCTION note_state() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO state_changes (kind, id, was, "is") VALUES (TG_TABLE_NAME, NEW.id, OLD.status, NEW.status);
      RETURN NULL;
    END $$`.execute(db)
  for (const table of trackedTables)
    await sql`
      CREATE TRIGGER note_state AFTER UPDATE ON ${sql.table(table)} FOR EACH ROW
      WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION note_state()`.execute(db)
}

const ms = (column: string) => `round(extract(epoch FROM ${column}) * 1000)::float8`
const listOf = (query: string) => `(SELECT coalesce(json_agg(t), '[]') FROM (${query}) t)`

/** Reads all tables in one statement, because they are read after every step. */
const booksQuery = `SELECT json_build_object(
  'orders', ${listOf(`
    SELECT orders.id, user_id, kind, status, method, episode_id, video_id, plan_id, subscription_id, period_no,
      amount_cents, refunded_cents, introductory, period_days, ${ms('paid_at')} AS paid_at, ${ms('expires_at')} AS expires_at
    FROM orders LEFT JOIN plans ON plans.id = plan_id ORDER BY created_at, period_no, orders.id`)},
  'attempts', ${listOf(`
    SELECT id, order_id, number, idempotency_key AS key, status, reference, decline_code, dispute_status, dispute_debited_cents,
      ${ms('started_at')} AS started_at, ${ms('next_poll_at')} AS next_poll_at
    FROM payment_attempts ORDER BY started_at, number`)},
  'refunds', ${listOf('SELECT id, attempt_id, amount_cents, status, reason FROM refunds ORDER BY created_at, id')},
  'subscriptions', ${listOf(`
    SELECT id, user_id, plan_id, status, period_no, ${ms('period_ends_at')} AS period_ends_at,
      ${ms('grace_ends_at')} AS grace_ends_at, cancel_at_period_end AS cancelled, payment_method_id IS NOT NULL AS has_method
    FROM subscriptions ORDER BY created_at, id`)},
  'entitlements', ${listOf(`
    SELECT order_id, user_id, source, video_id, episode_id, ${ms('starts_at')} AS starts_at, ${ms('ends_at')} AS ends_at,
      revoked_at IS NOT NULL AS revoked
    FROM entitlements ORDER BY starts_at, id`)},
  'lines', ${listOf('SELECT transaction_id, order_id, account, amount_cents AS cents FROM ledger_lines ORDER BY id')},
  'changes', ${listOf('SELECT kind, id, was, "is" FROM state_changes ORDER BY number')}
) AS books`

/** Reads the books. @param pool connections to the site's database */
export async function readBooks(pool: Database<Tables>['pool'], gateway: PaymentGateway): Promise<Books> {
  const [{ rows }, payments] = await Promise.all([
    pool.query<{ books: Omit<Books, 'payments'> }>({ name: 'books', text: booksQuery }),
    listAllPayments(gateway),
  ])
  const [row] = rows
  if (!row) throw new Error('the books cannot be read')
  return { ...row.books, payments }
}
