import { sql, type Selectable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import { openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import { selectOpenMethodSetups } from './method-setup-queries.ts'
import { takeDueForPolling, type DueQuery } from './polling-queries.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type GatewayCustomerRow = Selectable<tables.GatewayCustomersToDeleteTable>

/** Queues the immediate deletion of the gateway customers of a user, and of the guests who became this user. */
export async function queueCustomerDeletions(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .insertInto('gateway_customers_to_delete')
    .columns(['id', 'next_poll_at'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select(['id', sql<Date>`${now}::timestamptz`.as('next_poll_at')])
        .where((where) => where.or([where('id', '=', userId), where('merged_into', '=', userId)])),
    )
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ poll_count: 0, next_poll_at: now }))
    .execute()
}

/** Takes the users whose gateway customers are due for deletion. */
export function takeDueCustomerDeletions(tx: Tx, due: DueQuery): Promise<GatewayCustomerRow[]> {
  const open = tx.selectFrom('gateway_customers_to_delete').selectAll()
  return takeDueForPolling(open, due, ({ id }, poll) =>
    tx.updateTable('gateway_customers_to_delete').set(poll).where('id', '=', id),
  )
}

/**
 * Returns whether a payment or a change of method of the user is in progress. Either could create the gateway customer
 * again.
 */
export async function hasOpenPayments(db: Db, userId: string): Promise<boolean> {
  if ((await selectOpenMethodSetups(db, userId)).length > 0) return true
  const open = await db
    .selectFrom('payment_attempts')
    .innerJoin('orders', 'orders.id', 'payment_attempts.order_id')
    .select('payment_attempts.id')
    .where('orders.user_id', '=', userId)
    .where('payment_attempts.status', 'in', openAttemptStatuses)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

export async function finishCustomerDeletion(db: Db, id: string): Promise<void> {
  await db.deleteFrom('gateway_customers_to_delete').where('id', '=', id).execute()
}
