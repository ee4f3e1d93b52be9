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
 * The accounts that incoming money is entered under: `sales:…` for sales, `deferred_revenue` for the unspent money in balances,
 * which is owed, `bonus_sales` for what bonus paid, `refunds_payable` for money that came in twice or too late and is refunded.
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
 * The accounts. Positive is debit: `gateway:…` is what a gateway holds for us, `charged_back` is taken by open disputes,
 * `dispute_lost` by lost ones. Of balances, `top_up_reversals` is what refunds and disputes took of top-ups; it is cleared by
 * what the balance loses for it or, if already spent, by `balance_loss`. `bonus_discount` is what bonus paid, and `breakage`
 * the unspent paid money of deleted accounts.
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
  /** The time under which the figures count it, if it is not `at` (docs/figures.md, "Dates"). */
  effectiveAt?: Date | null
}

async function enter(tx: Tx, entry: Entry): Promise<void> {
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

/** Books incoming money that pays for its order; a top-up's is owed until it is spent. */
export function enterSale(tx: Tx, order: OrderRow, attempt: AttemptRow, at: Date): Promise<void> {
  const credit = order.kind === 'top_up' ? 'deferred_revenue' : (`sales:${order.kind}` as const)
  const accounts = { debit: `gateway:${attempt.gateway}`, credit } as const
  return enter(tx, {
    transactionId: `charge:${attempt.id}`,
    order,
    ...accounts,
    cents: order.amount_cents,
    at,
  })
}

/** Books incoming money that buys nothing, once per attempt. @returns whether it was the first time */
export async function enterUnwantedPayment(
  tx: Tx,
  order: OrderRow,
  attempt: AttemptRow,
  at: Date,
): Promise<boolean> {
  const transactionId = `charge:${attempt.id}`
  if (await hasLedgerTransaction(tx, transactionId)) return false
  await enter(tx, {
    transactionId,
    order,
    debit: `gateway:${attempt.gateway}`,
    credit: 'refunds_payable',
    cents: order.amount_cents,
    at,
  })
  return true
}

/** The payment that a refund or a dispute takes from, and the account under which its money was entered. */
export interface LedgerPayment {
  order: OrderRow
  attempt: AttemptRow
  source: SourceAccount
  at: Date
}

/** Returns the account that refunds and disputes take from; of a top-up the balance follows (sync-top-up.ts). */
const reversalAccount = (source: SourceAccount): Account =>
  source === 'deferred_revenue' ? 'top_up_reversals' : source

/** Books a refund of a sale, or of money that bought nothing. */
export function enterRefund(
  tx: Tx,
  { order, attempt, source, at }: LedgerPayment,
  refund: { id: string; cents: number },
): Promise<void> {
  return enter(tx, {
    transactionId: `refund:${refund.id}`,
    order,
    debit: reversalAccount(source),
    credit: `gateway:${attempt.gateway}`,
    cents: refund.cents,
    at,
  })
}

/** Books a refund that failed after it was sent. It is counted under the date of the refund. */
export async function enterFailedRefund(
  tx: Tx,
  { order, attempt, source, at }: LedgerPayment,
  refund: { id: string; cents: number },
): Promise<void> {
  const effectiveAt = await selectEnteredAt(tx, `refund:${refund.id}`)
  return enter(tx, {
    transactionId: `refund_failed:${refund.id}`,
    order,
    debit: `gateway:${attempt.gateway}`,
    credit: reversalAccount(source),
    cents: refund.cents,
    at,
    effectiveAt,
  })
}

/** A movement of disputed money. `openedAt`: when the dispute first took it; all of it is counted there. */
type DisputedPayment = LedgerPayment & { openedAt?: Date }

/** Books money that a dispute took (positive) or returned. May be called any number of times. */
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
 * Books a lost dispute: what it took is gone for good (positive), or is open or won again after all. The disputed money of a
 * top-up is a loss only as far as the balance could not be charged for it.
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

/** Enters a transaction under the next number of its prefix. */
async function enterNext(tx: Tx, prefix: string, entry: Omit<Entry, 'transactionId'>): Promise<void> {
  const number = (await countLedgerTransactions(tx, entry.order.id, prefix)) + 1
  await enter(tx, { ...entry, transactionId: `${prefix}${number}` })
}

/**
 * Returns the account under which an attempt's money was entered; undefined if the ledger does not have it. Only a sale's is
 * the money that paid the order.
 */
export async function sourceAccountOf(tx: Db, attemptId: string): Promise<SourceAccount | undefined> {
  const account = await selectCreditedAccount(tx, `charge:${attemptId}`)
  return sourceAccounts.find((source) => source === account)
}
