import type { Db } from '#server/tables.ts'
import { selectCustomerIdsByEmail, selectLatestOrderEmail } from './customer-queries.ts'
import { usablePaymentMethods } from '#server/features/billing/personal-data/personal-data-queries.ts'
import { selectAllOrders } from './order-list-queries.ts'

const maxCustomers = 20
const maxPaymentMethods = 100

/** Returns the ids of the members and guests whose orders have this e-mail address. */
export function findCustomersByEmail(db: Db, email: string): Promise<string[]> {
  return selectCustomerIdsByEmail(db, email, maxCustomers)
}

/** Returns the e-mail address of a user's latest order, or null. The address is not verified. */
export function findLatestOrderEmail(db: Db, userId: string): Promise<string | null> {
  return selectLatestOrderEmail(db, userId)
}

/** Returns the id of the buyer of the latest order whose id has one of these prefixes. */
export async function findCustomerByOrder(db: Db, orderIds: readonly string[]): Promise<string | undefined> {
  const [order] = await selectAllOrders(db, { ids: orderIds }, undefined, 1)
  return order?.user_id
}

/** Lists a user's saved cards and wallets, without the gateway references with which they can be charged. */
export async function listPaymentMethods(db: Db, userId: string) {
  const saved = usablePaymentMethods(db, userId).orderBy('created_at').orderBy('id').limit(maxPaymentMethods)
  const methods = await saved.execute()
  return methods.map(({ id: _id, ...method }) => ({ ...method, created_at: method.created_at.toISOString() }))
}
