import type { Db } from '#server/tables.ts'
import { selectCustomers, selectOrderEmail } from './customer-queries.ts'
import { usableMethodsOf } from '#server/features/billing/personal-data/personal-data-queries.ts'
import { selectAllOrders } from './order-list-queries.ts'

const mostBuyers = 20
const mostMethods = 100

/** The people who bought with an e-mail: guests, too, whose account has none. */
export function findCustomers(db: Db, email: string): Promise<string[]> {
  return selectCustomers(db, email, mostBuyers)
}

/** The address that somebody gave at their latest purchase, which nobody has proven. */
export function findOrderEmail(db: Db, userId: string): Promise<string | null> {
  return selectOrderEmail(db, userId)
}

/** Finds who made the order with an id, or with the beginning of one. */
export async function findCustomerOf(db: Db, orderId: string): Promise<string | undefined> {
  const [order] = await selectAllOrders(db, { id: orderId }, undefined, 1)
  return order?.user_id
}

/** The cards and wallets that are saved for a person, without what charges them. */
export async function listMethodsOf(db: Db, userId: string) {
  const saved = usableMethodsOf(db, userId).orderBy('created_at').orderBy('id').limit(mostMethods)
  const methods = await saved.execute()
  return methods.map(({ id: _id, ...method }) => ({ ...method, created_at: method.created_at.toISOString() }))
}
