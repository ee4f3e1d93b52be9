import { sql, type Insertable, type Selectable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import { takeDueForPolling, type DueQuery } from './polling-queries.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type RefundRow = Selectable<tables.RefundsTable>

const keyPrefixes: Record<tables.RefundOrigin, string> = {
  requested: 'refund',
  unwanted_payment: 'unwanted',
  gateway: 'gateway',
  chargeback: 'chargeback',
}

/**
 * Builds the idempotency key of a refund, and returns it with the origin. The key prevents a second refund, both at the
 * gateway and in our table. It is never parsed.
 * @param parts what distinguishes the refund from others of the same origin
 */
export function refundKey(origin: tables.RefundOrigin, ...parts: readonly (string | number)[]) {
  return { origin, idempotency_key: [keyPrefixes[origin], ...parts].join(':') }
}

/** Stores a refund, unless a refund with the same key exists. */
export async function insertRefund(tx: Tx, refund: Insertable<tables.RefundsTable>): Promise<void> {
  await tx
    .insertInto('refunds')
    .values(refund)
    .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
    .execute()
}

/** Serializes the refunds of an operator, so that concurrent refunds cannot exceed the operator's limit. */
export async function lockRefundsOfOperator(tx: Tx, operatorId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`refunder:${operatorId}`}, 0))`.execute(tx)
}

/**
 * Returns the total of the refunds that an operator has requested since a time, in one currency. Uses the index
 * `refunds_requested_by`.
 */
export async function selectRequestedRefundCents(
  tx: Tx,
  operatorId: string,
  currency: string,
  since: Date,
): Promise<number> {
  const { rows } = await sql<{ cents: number }>`
    SELECT coalesce(sum(refunds.amount_cents), 0)::float8 AS cents FROM refunds
    JOIN payment_attempts ON payment_attempts.id = refunds.attempt_id JOIN orders ON orders.id = payment_attempts.order_id
    WHERE refunds.requested_by = ${operatorId} AND refunds.created_at > ${since} AND refunds.status <> 'failed'
      AND orders.currency = ${currency}`.execute(tx)
  return rows[0]?.cents ?? 0
}

/** Returns the refunds of an attempt's payment, oldest first. */
export function selectRefunds(db: Db, attemptId: string): Promise<RefundRow[]> {
  return db
    .selectFrom('refunds')
    .selectAll()
    .where('attempt_id', '=', attemptId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Finishes a started refund. @returns false if it had already finished */
export async function finishRefund(tx: Tx, id: string, status: 'succeeded' | 'failed'): Promise<boolean> {
  const update = tx
    .updateTable('refunds')
    .set({ status, next_poll_at: null })
    .where('id', '=', id)
    .where('status', '=', 'started')
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows === 1n
}

/** Marks a succeeded refund as failed, because it failed later at the gateway. */
export async function setRefundFailed(tx: Tx, id: string): Promise<void> {
  const update = tx.updateTable('refunds').set({ status: 'failed' })
  await update.where('id', '=', id).where('status', '=', 'succeeded').execute()
}

/** Takes the started refunds that must be sent again now. */
export function takeDueRefunds(tx: Tx, due: DueQuery): Promise<RefundRow[]> {
  const open = tx.selectFrom('refunds').selectAll().where('status', '=', sql.lit('started'))
  return takeDueForPolling(open, due, ({ id }, poll) =>
    tx.updateTable('refunds').set(poll).where('id', '=', id),
  )
}

/** Returns the refunded amount of an attempt's payment. */
export async function selectRefundedCents(tx: Tx, attemptId: string): Promise<number> {
  const row = await tx
    .selectFrom('refunds')
    .select((eb) => eb.fn.sum<string | null>('amount_cents').as('cents'))
    .where('attempt_id', '=', attemptId)
    .where('status', '=', 'succeeded')
    .executeTakeFirst()
  return Number(row?.cents ?? 0)
}
