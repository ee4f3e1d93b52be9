import type { Tx } from '#server/tables.ts'
import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import type { Account } from './ledger.ts'
import { insertLedgerLines } from './ledger-queries.ts'

/** The amounts of paid money and of bonus in one change of a balance, in cents. */
export interface PaidAndBonus {
  paid: number
  bonus: number
}

type LedgerOrder = Pick<OrderRow, 'id' | 'currency'>

/**
 * Inserts a ledger transaction. Omits amounts of zero. Positive amounts are debits. The amounts must add up to zero.
 */
async function insertTransaction(
  tx: Tx,
  { transactionId, order, at }: { transactionId: string; order: LedgerOrder; at: Date },
  accounts: Partial<Record<Account, number>>,
): Promise<void> {
  const lines = Object.entries(accounts).filter(([, cents]) => cents !== 0)
  if (lines.length === 0) return
  await insertLedgerLines(
    tx,
    lines.map(([account, amount_cents]) => ({
      transaction_id: transactionId,
      order_id: order.id,
      account,
      amount_cents,
      currency: order.currency,
      at,
    })),
  )
}

/**
 * Books a purchase from the balance. Paid money becomes revenue. The amount paid with bonus is a discount, not revenue.
 */
export function enterBalanceSale(
  tx: Tx,
  order: OrderRow & { kind: 'episode' | 'video' },
  attempt: Pick<AttemptRow, 'id'>,
  { paid, bonus }: PaidAndBonus,
  at: Date,
): Promise<void> {
  return insertTransaction(
    tx,
    { transactionId: `charge:${attempt.id}`, order, at },
    { deferred_revenue: paid, [`sales:${order.kind}`]: -paid, bonus_discount: bonus, bonus_sales: -bonus },
  )
}

/** Books the refund of a purchase to the balance, which reverses `enterBalanceSale`. */
export function enterBalanceRefund(
  tx: Tx,
  order: OrderRow & { kind: 'episode' | 'video' },
  refund: { id: string },
  { paid, bonus }: PaidAndBonus,
  at: Date,
): Promise<void> {
  return insertTransaction(
    tx,
    { transactionId: `refund:${refund.id}`, order, at },
    { [`sales:${order.kind}`]: paid, deferred_revenue: -paid, bonus_sales: bonus, bonus_discount: -bonus },
  )
}

/**
 * Books how a refund or dispute of a top-up changes the balance: `reversed` is unspent money that leaves the balance,
 * and `lost` is money that was already spent. A negative amount reverses an earlier entry.
 */
export function enterTopUpReversal(
  tx: Tx,
  topUp: LedgerOrder,
  entryId: string,
  { reversed, lost }: { reversed: number; lost: number },
  at: Date,
): Promise<void> {
  return insertTransaction(
    tx,
    { transactionId: `balance:${entryId}`, order: topUp, at },
    { deferred_revenue: reversed, balance_loss: lost, top_up_reversals: -(reversed + lost) },
  )
}

/** Books that a part of a purchase is paid with paid money instead of bonus. A negative amount does the reverse. */
export function enterBonusSetOff(
  tx: Tx,
  purchase: LedgerOrder & { kind: 'episode' | 'video'; cents: number },
  entryId: string,
  at: Date,
): Promise<void> {
  const { kind, cents } = purchase
  return insertTransaction(
    tx,
    { transactionId: `set_off:${entryId}`, order: purchase, at },
    { deferred_revenue: cents, [`sales:${kind}`]: -cents, bonus_discount: -cents, bonus_sales: cents },
  )
}

/** Books the unspent paid money of a deleted account as breakage, because it is no longer owed. */
export function enterBreakage(
  tx: Tx,
  topUp: LedgerOrder,
  entryId: string,
  cents: number,
  at: Date,
): Promise<void> {
  return insertTransaction(
    tx,
    { transactionId: `balance:${entryId}`, order: topUp, at },
    { deferred_revenue: cents, breakage: -cents },
  )
}
