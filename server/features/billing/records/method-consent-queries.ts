import { sql, type Insertable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type * as tables from '#server/features/billing/tables.ts'

/** Stores the buyer's consent to saving the method of an order. A second call for the order changes nothing. */
export async function insertMethodConsent(
  tx: Tx,
  consent: Insertable<tables.PaymentMethodConsentsTable>,
): Promise<void> {
  await tx
    .insertInto('payment_method_consents')
    .values(consent)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns an order's unrevoked consent that has no payment method yet. */
export function selectOpenMethodConsent(db: Db, orderId: string) {
  return db
    .selectFrom('payment_method_consents')
    .select('consented_at')
    .where('order_id', '=', orderId)
    .where('payment_method_id', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
}

/** Assigns the saved method to the consent of an order, so that the buyer can pay for further purchases with it. */
export async function setMethodOfConsent(tx: Tx, orderId: string, methodId: string): Promise<void> {
  const update = tx.updateTable('payment_method_consents').set({ payment_method_id: methodId })
  await update.where('order_id', '=', orderId).execute()
}

/** Revokes the consents to one saved method. */
export async function revokeConsentsOfMethod(tx: Tx, methodId: string, now: Date): Promise<void> {
  await tx
    .updateTable('payment_method_consents')
    .set({ revoked_at: now })
    .where('payment_method_id', '=', methodId)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Revokes all of a user's consents, including those of unpaid orders. */
export async function revokeConsentsOfUser(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('payment_method_consents')
    .set({ revoked_at: now })
    .where('order_id', 'in', tx.selectFrom('orders').select('id').where('user_id', '=', userId))
    .where('revoked_at', 'is', null)
    .execute()
}

/** Revokes a user's consents to saved methods, except the latest one. */
export async function revokeOlderConsents(tx: Tx, userId: string, now: Date): Promise<void> {
  await sql`
    UPDATE payment_method_consents SET revoked_at = ${now} WHERE order_id IN (
      SELECT order_id FROM payment_method_consents JOIN orders ON orders.id = order_id
      WHERE user_id = ${userId} AND payment_method_id IS NOT NULL AND revoked_at IS NULL
      ORDER BY consented_at DESC, order_id OFFSET 1)`.execute(tx)
}

/** Returns the method that a user has saved for purchases, with the e-mail address of the order that saved it. */
export function selectSavedMethod(db: Db, userId: string) {
  return db
    .selectFrom('payment_methods')
    .innerJoin('payment_method_consents', 'payment_method_id', 'payment_methods.id')
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
    .where('payment_methods.next_detach_at', 'is', null)
    .where('revoked_at', 'is', null)
    .orderBy('consented_at', 'desc')
    .orderBy('order_id')
    .executeTakeFirst()
}

export type SavedMethodRow = NonNullable<Awaited<ReturnType<typeof selectSavedMethod>>>
