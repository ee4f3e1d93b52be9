import type { Insertable } from 'kysely'
import type { Tx } from '#server/tables.ts'
import type * as tables from './tables.ts'

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
