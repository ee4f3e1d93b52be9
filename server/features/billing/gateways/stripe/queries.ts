import type { Db } from '#server/tables.ts'

export function selectCustomer(db: Db, userId: string) {
  return db
    .selectFrom('stripe_customers')
    .select(['customer_id', 'deleted_customer_id'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Stores a user's customer id, unless the user already has one. */
export async function insertCustomer(db: Db, userId: string, customer_id: string): Promise<void> {
  await db
    .insertInto('stripe_customers')
    .values({ user_id: userId, customer_id })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ customer_id })
        .where('stripe_customers.customer_id', 'is', null),
    )
    .execute()
}

/** Records that a customer was deleted at Stripe. */
export async function markCustomerDeleted(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('stripe_customers')
    .set((eb) => ({ customer_id: null, deleted_customer_id: eb.ref('customer_id') }))
    .where('user_id', '=', userId)
    .where('customer_id', 'is not', null)
    .execute()
}

export async function deleteCustomer(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('stripe_customers').where('user_id', '=', userId).execute()
}
