import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import { planChecks, type NextCheck } from './check-queries.ts'
import type * as tables from './tables.ts'

export type MethodRow = Selectable<tables.PaymentMethodsTable>

/** Keeps a method for renewals; one that is known already stays the same. @returns its id */
export async function insertPaymentMethod(
  tx: Tx,
  method: Insertable<tables.PaymentMethodsTable>,
): Promise<string> {
  const { id } = await tx
    .insertInto('payment_methods')
    .values(method)
    .onConflict((conflict) =>
      conflict.columns(['gateway', 'reference']).doUpdateSet({ brand: method.brand, last4: method.last4 }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Keeps nothing of a person's methods but what the gateway needs to forget them, which is due now. */
export async function retireMethods(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ payment_method_id: null })
    .where('user_id', '=', userId)
    .execute()
  await tx
    .updateTable('payment_methods')
    .set({ brand: null, last4: null, checks: 0, check_at: now })
    .where('user_id', '=', userId)
    .where('check_at', 'is', null)
    .execute()
}

/** Takes the methods that are to be forgotten, as `planChecks` says. */
export async function takeMethodsToForget(
  tx: Tx,
  now: Date,
  next: NextCheck,
  limit: number,
): Promise<MethodRow[]> {
  const due = await tx
    .selectFrom('payment_methods')
    .selectAll()
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  await planChecks(tx, 'payment_methods', due, next)
  return due
}

export async function deleteMethod(db: Db, id: string): Promise<void> {
  await db.deleteFrom('payment_methods').where('id', '=', id).execute()
}
