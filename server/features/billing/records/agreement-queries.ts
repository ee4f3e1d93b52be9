import { sql, type Insertable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type * as tables from '#server/features/billing/tables.ts'

/** Stores what the buyer of an order agreed to, once. */
export async function insertAgreement(
  tx: Tx,
  agreement: Insertable<tables.MethodAgreementsTable>,
): Promise<void> {
  await tx
    .insertInto('method_agreements')
    .values(agreement)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The agreement of an order whose method is not known yet. */
export function selectOpenAgreement(db: Db, orderId: string) {
  return db
    .selectFrom('method_agreements')
    .select('agreed_at')
    .where('order_id', '=', orderId)
    .where('payment_method_id', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
}

/** From now on the method can be charged for what its owner buys. */
export async function setMethodOfAgreement(tx: Tx, orderId: string, methodId: string): Promise<void> {
  const update = tx.updateTable('method_agreements').set({ payment_method_id: methodId })
  await update.where('order_id', '=', orderId).execute()
}

/** Revokes the agreements about one method. */
export async function revokeAgreementsAbout(tx: Tx, methodId: string, now: Date): Promise<void> {
  await tx
    .updateTable('method_agreements')
    .set({ revoked_at: now })
    .where('payment_method_id', '=', methodId)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Revokes all that a person has agreed to, with the orders that are still to be paid. */
export async function revokeAgreements(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('method_agreements')
    .set({ revoked_at: now })
    .where('order_id', 'in', tx.selectFrom('orders').select('id').where('user_id', '=', userId))
    .where('revoked_at', 'is', null)
    .execute()
}

/** Revokes a person's agreements about saved methods but the latest one. */
export async function revokeFormerAgreements(tx: Tx, userId: string, now: Date): Promise<void> {
  await sql`
    UPDATE method_agreements SET revoked_at = ${now} WHERE order_id IN (
      SELECT order_id FROM method_agreements JOIN orders ON orders.id = order_id
      WHERE user_id = ${userId} AND payment_method_id IS NOT NULL AND revoked_at IS NULL
      ORDER BY agreed_at DESC, order_id OFFSET 1)`.execute(tx)
}

/** The method that a person has saved for what they buy, and the e-mail that they gave with it. */
export function selectSavedMethod(db: Db, userId: string) {
  return db
    .selectFrom('payment_methods')
    .innerJoin('method_agreements', 'payment_method_id', 'payment_methods.id')
    .innerJoin('orders', 'orders.id', 'order_id')
    .select([
      'payment_methods.id',
      'payment_methods.gateway',
      'payment_methods.reference',
      'payment_methods.brand',
      'payment_methods.last4',
      'payment_methods.expires_at',
      'orders.email',
    ])
    .where('payment_methods.user_id', '=', userId)
    .where('payment_methods.check_at', 'is', null)
    .where('revoked_at', 'is', null)
    .orderBy('agreed_at', 'desc')
    .orderBy('order_id')
    .executeTakeFirst()
}

export type SavedMethodRow = NonNullable<Awaited<ReturnType<typeof selectSavedMethod>>>
