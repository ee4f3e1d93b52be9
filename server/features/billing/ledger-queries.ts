import type { Insertable } from 'kysely'
import type { Tx } from '#server/tables.ts'
import type * as tables from './tables.ts'

export async function insertLedgerLines(tx: Tx, lines: Insertable<tables.LedgerLinesTable>[]): Promise<void> {
  await tx.insertInto('ledger_lines').values(lines).execute()
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
