import { sql } from 'kysely'
import type { Tx } from '#server/tables.ts'
import type { NextCheck } from './check-queries.ts'
import { nextCheck } from './check-schedule.ts'
import type { OrderRow } from './order-queries.ts'

const paid = (['paid', 'partially_refunded'] as const).map((status) => sql.lit(status))

/** One order, or those of each period of its subscription. */
const contractOf = ({ id, subscription_id }: OrderRow) =>
  subscription_id === null
    ? sql<boolean>`orders.id = ${id}`
    : sql<boolean>`orders.subscription_id = ${subscription_id}`

/** The orders that a contract was paid with so far. */
export function selectContract(tx: Tx, order: OrderRow): Promise<OrderRow[]> {
  const orders = tx.selectFrom('orders').selectAll().where('paid_at', 'is not', null)
  return orders.where(contractOf(order)).orderBy('paid_at').orderBy('id').execute()
}

/** Marks all orders of a contract, also those whose money may still come in. */
export async function markWithdrawn(tx: Tx, order: OrderRow, now: Date): Promise<void> {
  const change = { withdrawn_at: now, withdrawal_check_at: nextCheck(0, now) }
  const orders = tx.updateTable('orders').set(change).where(contractOf(order))
  await orders.where('withdrawn_at', 'is', null).execute()
}

/** Takes the withdrawn orders whose money has not gone back and whose time has come, and sets when they are tried next. */
export async function takeDueWithdrawals(tx: Tx, now: Date, next: NextCheck, limit: number) {
  const due = await tx
    .selectFrom('orders')
    .select(['id', 'withdrawal_checks'])
    .where('withdrawal_check_at', '<=', now)
    .where('status', 'in', paid)
    .orderBy('withdrawal_check_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { id, withdrawal_checks: checks } of due) {
    const change = { withdrawal_checks: checks + 1, withdrawal_check_at: next(checks + 1) }
    await tx.updateTable('orders').set(change).where('id', '=', id).execute()
  }
  return due
}
