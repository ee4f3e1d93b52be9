import type { Db } from '#server/tables.ts'
import { selectCustomers, selectOrderEmail } from './customer-queries.ts'
import { usableMethodsOf } from '#server/features/billing/personal-data/personal-data-queries.ts'
import { selectAllOrders } from './order-list-queries.ts'

const mostBuyers = 20
const mostMethods = 100

/** Finds the users who bought with an e-mail address, including guests, whose accounts have none. */
export function findCustomers(db: Db, email: string): Promise<string[]> {
  return selectCustomers(db, email, mostBuyers)
}

/** Returns the unverified address of a user's latest order. */
export function findOrderEmail(db: Db, userId: string): Promise<string | null> {
  return selectOrderEmail(db, userId)
}

/** Finds the buyer of an order by its id or a prefix of it. */
export async function findCustomerOf(db: Db, orderId: string): Promise<string | undefined> {
  const [order] = await selectAllOrders(db, { id: orderId }, undefined, 1)
  return order?.user_id
}

/** Lists a user's saved cards and wallets, without the references that charge them. */
export async function listMethodsOf(db: Db, userId: string) {
  const saved = usableMethodsOf(db, userId).orderBy('created_at').orderBy('id').limit(mostMethods)
  const methods = await saved.execute()
  return methods.map(({ id: _id, ...method }) => ({ ...method, created_at: method.created_at.toISOString() }))
}
