import { sql, type Insertable, type Selectable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import { takeDue, type Due } from './check-queries.ts'
import type * as tables from './tables.ts'

export type RefundRow = Selectable<tables.RefundsTable>

/** Notes that money has to go back, unless it is noted already. */
export async function insertRefund(tx: Tx, refund: Insertable<tables.RefundsTable>): Promise<void> {
  await tx
    .insertInto('refunds')
    .values(refund)
    .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
    .execute()
}

/** The refunds of an attempt's payment, the oldest first. */
export function selectRefunds(db: Db, attemptId: string): Promise<RefundRow[]> {
  return db
    .selectFrom('refunds')
    .selectAll()
    .where('attempt_id', '=', attemptId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** @returns false where it was finished before */
export async function finishRefund(tx: Tx, id: string, status: 'succeeded' | 'failed'): Promise<boolean> {
  const update = tx
    .updateTable('refunds')
    .set({ status, check_at: null })
    .where('id', '=', id)
    .where('status', '=', 'started')
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows === 1n
}

/** A refund that had gone out came back. */
export async function setRefundFailed(tx: Tx, id: string): Promise<void> {
  const update = tx.updateTable('refunds').set({ status: 'failed' })
  await update.where('id', '=', id).where('status', '=', 'succeeded').execute()
}

/** Takes the refunds whose time has come. */
export function takeDueRefunds(tx: Tx, due: Due): Promise<RefundRow[]> {
  const open = tx.selectFrom('refunds').selectAll().where('status', '=', sql.lit('started'))
  return takeDue(open, due, ({ id }, look) => tx.updateTable('refunds').set(look).where('id', '=', id))
}

/** What has gone back of an attempt's payment. */
export async function selectRefundedCents(tx: Tx, attemptId: string): Promise<number> {
  const row = await tx
    .selectFrom('refunds')
    .select((eb) => eb.fn.sum<string | null>('amount_cents').as('cents'))
    .where('attempt_id', '=', attemptId)
    .where('status', '=', 'succeeded')
    .executeTakeFirst()
  return Number(row?.cents ?? 0)
}
