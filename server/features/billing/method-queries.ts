import { sql, type Insertable, type Selectable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'
import { takeDue, type Due } from './check-queries.ts'
import type * as tables from './tables.ts'

export type MethodRow = Selectable<tables.PaymentMethodsTable>

/**
 * Keeps a method for renewals; one that is known already stays the same, and is not forgotten after all.
 * @returns its id
 */
export async function insertPaymentMethod(
  tx: Tx,
  method: Insertable<tables.PaymentMethodsTable>,
): Promise<string> {
  const { id } = await tx
    .insertInto('payment_methods')
    .values(method)
    .onConflict((conflict) =>
      conflict
        .columns(['gateway', 'reference'])
        .doUpdateSet({ brand: method.brand, last4: method.last4, checks: 0, check_at: null }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Notes a method that nothing is to be charged with, unless it is known already. */
export async function insertUnwantedMethod(
  tx: Tx,
  method: Insertable<tables.PaymentMethodsTable>,
): Promise<void> {
  await tx
    .insertInto('payment_methods')
    .values(method)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Has those of a person's methods forgotten that no live subscription is charged with, whosever it is. */
export async function retireUnusedMethods(tx: Tx, userId: string, now: Date): Promise<void> {
  const unused = await tx
    .selectFrom('payment_methods')
    .select('id')
    .where('user_id', '=', userId)
    .where('check_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('subscriptions')
            .select('id')
            .whereRef('payment_method_id', '=', 'payment_methods.id')
            .where('status', 'in', ['active', 'past_due']),
        ),
      ),
    )
    .execute()
  for (const { id } of unused) await retireMethod(tx, id, now)
}

/** The method that a gateway names, by its whole name or by the part after the slash. */
export function selectMethodNamed(db: Db, gateway: GatewayId, name: string) {
  return db
    .selectFrom('payment_methods')
    .select(['id', 'reference'])
    .where('gateway', '=', gateway)
    .where(sql<string>`regexp_replace(reference, '^.*/', '')`, '=', name)
    .executeTakeFirst()
}

/** The live subscription that is charged with a method. */
export function selectSubscriptionOf(tx: Tx, methodId: string) {
  return tx
    .selectFrom('subscriptions')
    .select('id')
    .where('payment_method_id', '=', methodId)
    .where('status', 'in', ['active', 'past_due'])
    .executeTakeFirst()
}

/** Has a method forgotten at its gateway, and charged no more until that is done. */
export async function retireMethod(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ payment_method_id: null })
    .where('payment_method_id', '=', id)
    .execute()
  await tx
    .updateTable('payment_methods')
    .set({ brand: null, last4: null, checks: 0, check_at: now })
    .where('id', '=', id)
    .execute()
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

/** Takes the methods that are to be forgotten. */
export function takeMethodsToForget(tx: Tx, due: Due): Promise<MethodRow[]> {
  const open = tx.selectFrom('payment_methods').selectAll()
  return takeDue(open, due, ({ id }, look) =>
    tx.updateTable('payment_methods').set(look).where('id', '=', id),
  )
}

/** Unless it was kept again meanwhile, with another payment. */
export async function deleteMethod(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('payment_methods')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('subscriptions').select('id').whereRef('payment_method_id', '=', 'payment_methods.id'),
        ),
      ),
    )
    .execute()
}
