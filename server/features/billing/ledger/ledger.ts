import type { OrderGatewayId } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  countLedgerTransactions,
  hasLedgerTransaction,
  insertLedgerLines,
  selectCreditedAccount,
  selectEnteredAt,
} from './ledger-queries.ts'
import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

/**
 * The accounts that a payment credits: `sales:…` for sales; `deferred_revenue` for unspent balances, which the site
 * owes to users; `bonus_sales` for amounts paid with bonus; `refunds_payable` for duplicate and late payments, which
 * are refunded.
 */
const sourceAccounts = [
  'sales:plan',
  'sales:episode',
  'sales:video',
  'deferred_revenue',
  'bonus_sales',
  'refunds_payable',
] as const
export type SourceAccount = (typeof sourceAccounts)[number]

/**
 * The accounts of the ledger. Positive amounts are debits.
 * - `gateway:…`: money that a gateway holds for the site
 * - `charged_back`: money taken by open disputes; `dispute_lost`: money taken by lost disputes
 * - `top_up_reversals`: money of refunded or disputed top-ups, until it is charged to the balance or `balance_loss`
 * - `balance_loss`: the part of `top_up_reversals` that users had already spent
 * - `bonus_discount`: amounts of purchases that were paid with bonus
 * - `breakage`: unspent paid money of deleted accounts
 */
export type Account =
  | SourceAccount
  | `gateway:${OrderGatewayId}`
  | 'charged_back'
  | 'dispute_lost'
  | 'top_up_reversals'
  | 'balance_loss'
  | 'bonus_discount'
  | 'breakage'

interface Entry {
  transactionId: string
  order: Pick<OrderRow, 'id' | 'currency'>
  debit: Account
  credit: Account
  cents: number
  at: Date
  /** The time at which the figures count the entry, if it differs from `at` (docs/figures.md, "Dates"). */
  effectiveAt?: Date | null
}

async function insertTransaction(tx: Tx, entry: Entry): Promise<void> {
  const { transactionId, order, debit, credit, cents, at, effectiveAt = null } = entry
  const line = {
    transaction_id: transactionId,
    order_id: order.id,
    currency: order.currency,
    at,
    effective_at: effectiveAt,
  }
  await insertLedgerLines(tx, [
    { ...line, account: debit, amount_cents: cents },
    { ...line, account: credit, amount_cents: -cents },
  ])
}

/** Books a payment that pays its order. The money of a top-up is deferred revenue until it is spent. */
export function enterSale(tx: Tx, order: OrderRow, attempt: AttemptRow, at: Date): Promise<void> {
  const credit = order.kind === 'top_up' ? 'deferred_revenue' : (`sales:${order.kind}` as const)
  const accounts = { debit: `gateway:${attempt.gateway}`, credit } as const
  return insertTransaction(tx, {
    transactionId: `charge:${attempt.id}`,
    order,
    ...accounts,
    cents: order.amount_cents,
    at,
  })
}

/**
 * Books a payment that buys nothing and must be refunded. Books each attempt once.
 * @returns false if it was already booked
 */
export async function enterUnwantedPayment(
  tx: Tx,
  order: OrderRow,
  attempt: AttemptRow,
  at: Date,
): Promise<boolean> {
  const transactionId = `charge:${attempt.id}`
  if (await hasLedgerTransaction(tx, transactionId)) return false
  await insertTransaction(tx, {
    transactionId,
    order,
    debit: `gateway:${attempt.gateway}`,
    credit: 'refunds_payable',
    cents: order.amount_cents,
    at,
  })
  return true
}

/** The payment that a refund or dispute is about, and the account that this payment credited (`source`). */
export interface LedgerPayment {
  order: OrderRow
  attempt: AttemptRow
  source: SourceAccount
  at: Date
}

/**
 * Returns the account that refunds and disputes debit. For a top-up, sync-top-up.ts then moves the amount to the
 * balance.
 */
const reversalAccount = (source: SourceAccount): Account =>
  source === 'deferred_revenue' ? 'top_up_reversals' : source

/** Books a refund of a sale, a top-up or an unwanted payment. */
export function enterRefund(
  tx: Tx,
  { order, attempt, source, at }: LedgerPayment,
  refund: { id: string; cents: number },
): Promise<void> {
  return insertTransaction(tx, {
    transactionId: `refund:${refund.id}`,
    order,
    debit: reversalAccount(source),
    credit: `gateway:${attempt.gateway}`,
    cents: refund.cents,
    at,
  })
}

/** Reverses the entry of a refund that failed later. The figures count this reversal on the date of the refund. */
export async function enterFailedRefund(
  tx: Tx,
  { order, attempt, source, at }: LedgerPayment,
  refund: { id: string; cents: number },
): Promise<void> {
  const effectiveAt = await selectEnteredAt(tx, `refund:${refund.id}`)
  return insertTransaction(tx, {
    transactionId: `refund_failed:${refund.id}`,
    order,
    debit: `gateway:${attempt.gateway}`,
    credit: reversalAccount(source),
    cents: refund.cents,
    at,
    effectiveAt,
  })
}

/**
 * A disputed payment. `openedAt` is the time at which the dispute first took money. The figures count all entries of
 * the dispute at that time.
 */
type DisputedPayment = LedgerPayment & { openedAt?: Date }

/** Books money that a dispute took (positive) or returned (negative). Not idempotent: each call adds a transaction. */
export function enterDispute(
  tx: Tx,
  { order, attempt, source, at, openedAt }: DisputedPayment,
  cents: number,
): Promise<void> {
  const gateway = `gateway:${attempt.gateway}` as const
  const disputeAccount = source === 'deferred_revenue' ? 'top_up_reversals' : 'charged_back'
  const accounts =
    cents > 0
      ? ({ debit: disputeAccount, credit: gateway } as const)
      : ({ debit: gateway, credit: disputeAccount } as const)
  const entry = { order, ...accounts, cents: Math.abs(cents), at, effectiveAt: openedAt ?? null }
  return enterNext(tx, `dispute:${attempt.id}:`, entry)
}

/**
 * Books disputed money as lost (positive), or reverses this if a lost dispute is reopened or won (negative). Does
 * nothing for a top-up. A top-up's loss is only the amount that could not be charged to the balance
 * (`enterTopUpReversal`).
 */
export async function enterDisputeLoss(
  tx: Tx,
  { order, attempt, source, at, openedAt }: DisputedPayment,
  cents: number,
): Promise<void> {
  if (source === 'deferred_revenue') return
  const accounts =
    cents > 0
      ? ({ debit: 'dispute_lost', credit: 'charged_back' } as const)
      : ({ debit: 'charged_back', credit: 'dispute_lost' } as const)
  const entry = { order, ...accounts, cents: Math.abs(cents), at, effectiveAt: openedAt ?? null }
  await enterNext(tx, `dispute_lost:${attempt.id}:`, entry)
}

/** Inserts a transaction whose id consists of the prefix and the next number. */
async function enterNext(tx: Tx, prefix: string, entry: Omit<Entry, 'transactionId'>): Promise<void> {
  const number = (await countLedgerTransactions(tx, entry.order.id, prefix)) + 1
  await insertTransaction(tx, { ...entry, transactionId: `${prefix}${number}` })
}

/**
 * Returns the account that an attempt's payment credited, or undefined if the payment is not in the ledger. Unless the
 * account is `refunds_payable`, the payment paid its order.
 */
export async function sourceAccountOf(tx: Db, attemptId: string): Promise<SourceAccount | undefined> {
  const account = await selectCreditedAccount(tx, `charge:${attemptId}`)
  return sourceAccounts.find((source) => source === account)
}
