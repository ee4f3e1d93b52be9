import { sql, type Insertable, type Updateable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { DisputeStatus } from '#server/features/billing/statuses.ts'
import type { SandboxPaymentMethodsTable, SandboxPaymentsTable, SandboxTokensTable } from './tables.ts'

export type PaymentRow = Awaited<ReturnType<ReturnType<typeof selectPayments>['executeTakeFirstOrThrow']>>

/** Stores a token, and deletes expired ones. */
export async function insertToken(db: Db, token: Insertable<SandboxTokensTable>, now: Date): Promise<void> {
  await db.deleteFrom('sandbox_tokens').where('expires_at', '<=', now).execute()
  await db.insertInto('sandbox_tokens').values(token).execute()
}

/** Marks a card token as used and returns its card. Returns undefined if the token is unknown, used or expired. */
export function consumeToken(tx: Tx, token: string, now: Date) {
  return tx
    .updateTable('sandbox_tokens')
    .set({ used_at: now })
    .where('token', '=', token)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['behaviour', 'brand', 'last4', 'card_expires_at'])
    .executeTakeFirst()
}

export async function insertMethod(tx: Tx, method: Insertable<SandboxPaymentMethodsTable>): Promise<void> {
  await tx.insertInto('sandbox_payment_methods').values(method).execute()
}

export function selectMethod(db: Db, id: string) {
  return db.selectFrom('sandbox_payment_methods').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function markMethodDetached(db: Db, id: string, now: Date): Promise<void> {
  await db.updateTable('sandbox_payment_methods').set({ detached_at: now }).where('id', '=', id).execute()
}

/** Deletes the e-mail address in the payments of a user who deleted the account. */
export async function deletePayerEmail(db: Db, userId: string): Promise<void> {
  await sql`UPDATE sandbox_payments SET metadata = metadata - 'email' WHERE metadata ->> 'payer' = ${userId}`.execute(
    db,
  )
}

/** Locks a key until the end of the transaction, so that requests with the key run one at a time. */
export async function lockKey(tx: Tx, key: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sandbox:${key}`}, 0))`.execute(tx)
}

export async function insertPayment(tx: Tx, payment: Insertable<SandboxPaymentsTable>): Promise<void> {
  await tx.insertInto('sandbox_payments').values(payment).execute()
}

/** Selects payments with their refunded amount, method and dispute. */
function selectPayments(db: Db) {
  return db
    .selectFrom('sandbox_payments')
    .leftJoin('sandbox_payment_methods', 'sandbox_payment_methods.id', 'sandbox_payments.method_id')
    .leftJoin('sandbox_disputes', 'sandbox_disputes.payment_id', 'sandbox_payments.id')
    .selectAll('sandbox_payments')
    .select((eb) => [
      'sandbox_payment_methods.behaviour',
      'sandbox_payment_methods.brand',
      'sandbox_payment_methods.last4',
      'sandbox_payment_methods.card_expires_at',
      'sandbox_disputes.status as dispute',
      'sandbox_disputes.amount_cents as disputed_cents',
      'sandbox_disputes.changed_at as disputed_at',
      eb
        .selectFrom('sandbox_refunds')
        .select((inner) =>
          inner.fn.coalesce(inner.fn.sum<number>('amount_cents'), sql<number>`0`).as('cents'),
        )
        .whereRef('sandbox_refunds.payment_id', '=', 'sandbox_payments.id')
        .where('sandbox_refunds.failed_at', 'is', null)
        .as('refunded_cents'),
    ])
}

export function selectPayment(db: Db, id: string) {
  return selectPayments(db).where('sandbox_payments.id', '=', id).executeTakeFirst()
}

export function selectPaymentByKey(db: Db, key: string) {
  return selectPayments(db).where('idempotency_key', '=', key).executeTakeFirst()
}

/**
 * Selects the payments that were made, refunded or disputed since a time, oldest first. Starts with the payment that
 * follows `after`.
 */
export function selectPaymentsSince(db: Db, time: Date, after: string | undefined, limit: number) {
  const rows = selectPayments(db)
    .where((where) =>
      where.or([
        where('sandbox_payments.created_at', '>=', time),
        where('sandbox_disputes.changed_at', '>=', time),
        where.exists(
          where
            .selectFrom('sandbox_refunds')
            .select('payment_id')
            .whereRef('sandbox_refunds.payment_id', '=', 'sandbox_payments.id')
            .where((of) => of.or([of('created_at', '>=', time), of('failed_at', '>=', time)])),
        ),
      ]),
    )
    .orderBy('sandbox_payments.created_at')
    .orderBy('sandbox_payments.id')
    .limit(limit)
  if (after === undefined) return rows.execute()
  const position = sql`(SELECT created_at, id FROM sandbox_payments WHERE id = ${after})`
  return rows.where(sql<boolean>`(sandbox_payments.created_at, sandbox_payments.id) > ${position}`).execute()
}

/** Sets the outcome of a payment that waits for the user. @returns false if the payment does not wait */
export async function decidePayment(
  db: Db,
  id: string,
  change: Updateable<SandboxPaymentsTable>,
): Promise<boolean> {
  const update = db
    .updateTable('sandbox_payments')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'requires_action')
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows === 1n
}

export function selectRefund(tx: Tx, key: string) {
  return tx.selectFrom('sandbox_refunds').selectAll().where('idempotency_key', '=', key).executeTakeFirst()
}

export async function insertRefund(
  tx: Tx,
  refund: { idempotency_key: string; payment_id: string; amount_cents: number; created_at: Date },
): Promise<void> {
  await tx.insertInto('sandbox_refunds').values(refund).execute()
}

/** Marks the refunds of a payment as failed at the bank. */
export async function failRefunds(db: Db, paymentId: string, now: Date): Promise<void> {
  await db
    .updateTable('sandbox_refunds')
    .set({ failed_at: now })
    .where('payment_id', '=', paymentId)
    .where('failed_at', 'is', null)
    .execute()
}

/** Opens the dispute of a payment, or sets its outcome. The outcome does not change the disputed amount. */
export async function setDispute(
  tx: Tx,
  dispute: { payment_id: string; status: DisputeStatus; amount_cents: number; changed_at: Date },
): Promise<void> {
  const { status, changed_at, amount_cents } = dispute
  const changes = { status, changed_at, ...(status === 'open' ? { amount_cents } : {}) }
  await tx
    .insertInto('sandbox_disputes')
    .values(dispute)
    .onConflict((conflict) => conflict.column('payment_id').doUpdateSet(changes))
    .execute()
}

/** Returns the time by which the site's clock is ahead, in milliseconds. */
export async function selectClockOffset(db: Db): Promise<number> {
  const row = await db.selectFrom('sandbox_clock').select('offset_ms').executeTakeFirst()
  return row?.offset_ms ?? 0
}

/** Advances the site's clock. @returns the new offset in milliseconds */
export async function advanceClockOffset(db: Db, milliseconds: number): Promise<number> {
  const { offset_ms } = await db
    .insertInto('sandbox_clock')
    .values({ offset_ms: milliseconds })
    .onConflict((conflict) =>
      conflict.column('singleton').doUpdateSet((row) => ({
        offset_ms: row('sandbox_clock.offset_ms', '+', row.ref('excluded.offset_ms')),
      })),
    )
    .returning('offset_ms')
    .executeTakeFirstOrThrow()
  return offset_ms
}
