import type { Db } from '#server/tables.ts'

export function selectCustomer(db: Db, userId: string) {
  return db
    .selectFrom('stripe_customers')
    .select(['customer', 'gone'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Stores a user's customer id, unless there is one already. */
export async function insertCustomer(db: Db, userId: string, customer: string): Promise<void> {
  await db
    .insertInto('stripe_customers')
    .values({ user_id: userId, customer })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ customer }).where('stripe_customers.customer', 'is', null),
    )
    .execute()
}

/** Records that a customer was deleted at Stripe. */
export async function markCustomerDeleted(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('stripe_customers')
    .set((eb) => ({ customer: null, gone: eb.ref('customer') }))
    .where('user_id', '=', userId)
    .where('customer', 'is not', null)
    .execute()
}

export async function deleteCustomer(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('stripe_customers').where('user_id', '=', userId).execute()
}
