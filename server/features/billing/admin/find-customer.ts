import type { Db } from '#server/tables.ts'
import { selectCustomerIdsByEmail, selectLatestOrderEmail } from './customer-queries.ts'
import { usablePaymentMethods } from '#server/features/billing/personal-data/personal-data-queries.ts'
import { selectAllOrders } from './order-list-queries.ts'

const maxCustomers = 20
const maxPaymentMethods = 100

/** Finds the users who bought with an e-mail address, including guests, whose accounts have none. */
export function findCustomersByEmail(db: Db, email: string): Promise<string[]> {
  return selectCustomerIdsByEmail(db, email, maxCustomers)
}

/** Returns the unverified address of a user's latest order. */
export function findLatestOrderEmail(db: Db, userId: string): Promise<string | null> {
  return selectLatestOrderEmail(db, userId)
}

/** Finds the buyer of an order by its id or a prefix of it. */
export async function findCustomerByOrder(db: Db, orderId: string): Promise<string | undefined> {
  const [order] = await selectAllOrders(db, { id: orderId }, undefined, 1)
  return order?.user_id
}

/** Lists a user's saved cards and wallets, without the references that charge them. */
export async function listPaymentMethods(db: Db, userId: string) {
  const saved = usablePaymentMethods(db, userId).orderBy('created_at').orderBy('id').limit(maxPaymentMethods)
  const methods = await saved.execute()
  return methods.map(({ id: _id, ...method }) => ({ ...method, created_at: method.created_at.toISOString() }))
}
