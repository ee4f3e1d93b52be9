import type { Db } from '#server/tables.ts'
import { selectBuyers, selectOrderEmail } from './buyer-queries.ts'
import { selectMethodsToExport } from './moment-queries.ts'
import { selectOrder } from './order-queries.ts'

const mostBuyers = 20
const mostMethods = 100

/** The people who bought with an e-mail: guests, too, whose account has none. */
export function findBuyers(db: Db, email: string): Promise<string[]> {
  return selectBuyers(db, email, mostBuyers)
}

/** The address that somebody gave at their latest purchase, which nobody has proven. */
export function findOrderEmail(db: Db, userId: string): Promise<string | null> {
  return selectOrderEmail(db, userId)
}

/** Whose an order is. */
export async function findBuyerOf(db: Db, orderId: string): Promise<string | undefined> {
  return (await selectOrder(db, orderId))?.user_id
}

/** The cards and wallets that are kept of a person, without what charges them. */
export async function listMethodsOf(db: Db, userId: string) {
  const methods = await selectMethodsToExport(db, userId, undefined, mostMethods)
  return methods.map(({ id: _id, ...method }) => ({ ...method, created_at: method.created_at.toISOString() }))
}
