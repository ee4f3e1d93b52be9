import Stripe from 'stripe'
import * as queries from './queries.ts'
import type { StripeContext } from './stripe-context.ts'

/** Deletes a user's Stripe customer, with its cards. Stripe keeps the payments. */
export async function deleteCustomerOfUser({ stripe, db }: StripeContext, userId: string): Promise<void> {
  const known = await queries.selectCustomer(db, userId)
  if (known?.customer_id) await deleteCustomer(stripe, known.customer_id)
  if (known) await queries.deleteCustomer(db, userId)
}

async function deleteCustomer(stripe: Stripe, customer: string): Promise<void> {
  try {
    await stripe.customers.del(customer)
  } catch (error) {
    const isAlreadyDeleted =
      error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'
    if (!isAlreadyDeleted) throw error
  }
}
