import type { OrderGatewayId } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  countLedgerTransactions,
  hasLedgerTransaction,
  insertLedgerLines,
  selectCredited,
  selectEnteredAt,
} from './ledger-queries.ts'
import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

/**
 * Under which money comes in: `sales:…` is what was sold, `deferred_revenue` what was paid into balances and is not spent, which
 * is owed, `bonus_sales` what bonus money paid, `to_return` what came in twice or too late and is refunded.
 */
const sources = [
  'sales:plan',
  'sales:episode',
  'sales:video',
  'deferred_revenue',
  'bonus_sales',
  'to_return',
] as const
export type Source = (typeof sources)[number]

/**
 * The accounts. Positive is debit: `gateway:…` is what a gateway holds for us, `charged_back` what is gone for open disputes,
 * `dispute_lost` what is gone for good. Of balances, `top_up_returned` is what refunds and disputes took of top-ups, which is
 * cleared by what the balance loses for it or by `balance_loss`, as it is spent already; `bonus_discount` is what bonus money
 * paid, and `breakage` what people who left had paid and not spent.
 */
export type Account =
  | Source
  | `gateway:${OrderGatewayId}`
  | 'charged_back'
  | 'dispute_lost'
  | 'top_up_returned'
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
  /** The moment at which the figures count it, where that is not `at` (docs/figures.md, "Dates"). */
  countedAt?: Date | null
}

async function enter(tx: Tx, entry: Entry): Promise<void> {
  const { transactionId, order, debit, credit, cents, at, countedAt = null } = entry
  const line = {
    transaction_id: transactionId,
    order_id: order.id,
    currency: order.currency,
    at,
    counted_at: countedAt,
  }
  await insertLedgerLines(tx, [
    { ...line, account: debit, amount_cents: cents },
    { ...line, account: credit, amount_cents: -cents },
  ])
}

/** Money came in for an order and buys what it was for; a top-up's is owed until it is spent. */
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

/** Money came in that buys nothing. Once per attempt: a second time changes nothing. @returns whether it was the first */
export async function enterUnwanted(
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
    credit: 'to_return',
    cents: order.amount_cents,
    at,
  })
  return true
}

/** Which account a refund or a dispute takes from: what the money was entered under when it came in. */
export interface Returned {
  order: OrderRow
  attempt: AttemptRow
  source: Source
  at: Date
}

/** What refunds and disputes take from: of a top-up the balance follows (sync-top-up.ts). */
const returnedFrom = (source: Source): Account => (source === 'deferred_revenue' ? 'top_up_returned' : source)

/** Money went back, of a sale or of what bought nothing. */
export function enterRefund(
  tx: Tx,
  { order, attempt, source, at }: Returned,
  refund: { id: string; cents: number },
): Promise<void> {
  return enter(tx, {
    transactionId: `refund:${refund.id}`,
    order,
    debit: returnedFrom(source),
    credit: `gateway:${attempt.gateway}`,
    cents: refund.cents,
    at,
  })
}

/** A refund that had gone out came back: nobody could be given it. It is counted where the refund was. */
export async function enterFailedRefund(
  tx: Tx,
  { order, attempt, source, at }: Returned,
  refund: { id: string; cents: number },
): Promise<void> {
  const countedAt = await selectEnteredAt(tx, `refund:${refund.id}`)
  return enter(tx, {
    transactionId: `refund_failed:${refund.id}`,
    order,
    debit: `gateway:${attempt.gateway}`,
    credit: returnedFrom(source),
    cents: refund.cents,
    at,
    countedAt,
  })
}

/** What happens to the money of a dispute. `openedAt`: when the dispute took it first, which is where all of it is counted. */
type Disputed = Returned & { openedAt?: Date }

/** A dispute took money away (positive), or gave it back. Any number of times. */
export function enterDispute(
  tx: Tx,
  { order, attempt, source, at, openedAt }: Disputed,
  cents: number,
): Promise<void> {
  const gateway = `gateway:${attempt.gateway}` as const
  const taken = source === 'deferred_revenue' ? 'top_up_returned' : 'charged_back'
  const accounts =
    cents > 0 ? ({ debit: taken, credit: gateway } as const) : ({ debit: gateway, credit: taken } as const)
  const entry = { order, ...accounts, cents: Math.abs(cents), at, countedAt: openedAt ?? null }
  return enterNext(tx, `dispute:${attempt.id}:`, entry)
}

/**
 * A dispute was lost: what it took is gone for good (positive), or is open or won again after all. What one took of a top-up is
 * a loss only where the balance could not be charged for it.
 */
export async function enterLoss(
  tx: Tx,
  { order, attempt, source, at, openedAt }: Disputed,
  cents: number,
): Promise<void> {
  if (source === 'deferred_revenue') return
  const accounts =
    cents > 0
      ? ({ debit: 'dispute_lost', credit: 'charged_back' } as const)
      : ({ debit: 'charged_back', credit: 'dispute_lost' } as const)
  const entry = { order, ...accounts, cents: Math.abs(cents), at, countedAt: openedAt ?? null }
  await enterNext(tx, `dispute_lost:${attempt.id}:`, entry)
}

/** Enters a transaction under the next number of its name. */
async function enterNext(tx: Tx, prefix: string, entry: Omit<Entry, 'transactionId'>): Promise<void> {
  const number = (await countLedgerTransactions(tx, entry.order.id, prefix)) + 1
  await enter(tx, { ...entry, transactionId: `${prefix}${number}` })
}

/**
 * What an attempt's money was entered under as it came in; undefined where it is not in the books. Only a sale's is the
 * money that the order was paid with.
 */
export async function sourceOf(tx: Db, attemptId: string): Promise<Source | undefined> {
  const account = await selectCredited(tx, `charge:${attemptId}`)
  return sources.find((source) => source === account)
}
