import { sql, type Insertable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type * as tables from '#server/features/billing/tables.ts'

/**
 * Inserts the lines of a ledger transaction. Also queues the lines of sales and disputes; a job adds them to the
 * studio's funnel (sale-queries.ts).
 */
export async function insertLedgerLines(tx: Tx, lines: Insertable<tables.LedgerLinesTable>[]): Promise<void> {
  const inserted = await tx.insertInto('ledger_lines').values(lines).returning(['id', 'account']).execute()
  const summed = inserted.filter(
    ({ account }) => account.startsWith('sales:') || account === 'charged_back' || account === 'dispute_lost',
  )
  // A purchase that was paid entirely with bonus has no revenue line, but must be counted as a paid order.
  const counted = summed.length > 0 ? summed : inserted.filter(({ account }) => account === 'bonus_sales')
  if (counted.length === 0) return
  await tx
    .insertInto('unaggregated_ledger_lines')
    .values(counted.map(({ id }) => ({ line_id: id })))
    .execute()
}

export async function hasLedgerTransaction(tx: Tx, transactionId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('ledger_lines')
    .select('id')
    .where('transaction_id', '=', transactionId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the time of a ledger transaction, or undefined if the ledger does not have it. */
export async function selectEnteredAt(db: Db, transactionId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('ledger_lines')
    .select('at')
    .where('transaction_id', '=', transactionId)
    .limit(1)
    .executeTakeFirst()
  return row?.at
}

/**
 * Returns the account that a transaction credits. For a purchase that was partly paid with bonus, this is the sales
 * account.
 */
export async function selectCreditedAccount(db: Db, transactionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('ledger_lines')
    .select('account')
    .where('transaction_id', '=', transactionId)
    .where('amount_cents', '<', 0)
    .orderBy('account', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.account
}

/** Counts an order's ledger transactions whose id begins with a prefix. */
export async function countLedgerTransactions(tx: Tx, orderId: string, prefix: string): Promise<number> {
  const { count } = await tx
    .selectFrom('ledger_lines')
    .select((eb) => eb.fn.count<number>('transaction_id').distinct().as('count'))
    .where('order_id', '=', orderId)
    .where(sql<boolean>`starts_with(transaction_id, ${prefix})`)
    .executeTakeFirstOrThrow()
  return Number(count)
}
