import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import type { Charge } from '#server/features/billing/gateways/gateway.ts'
import { toLetters } from '#server/platform/ids.ts'
import { idOf } from './intents.ts'
import * as queries from './queries.ts'
import type { StripeContext } from './stripe-context.ts'

/**
 * Returns the id of a user's Stripe customer, and creates the customer at the first payment. The idempotency key
 * depends on all parameters. Concurrent equal requests therefore create one customer, and a request with another e-mail
 * address gets a new key.
 */
export async function ensureCustomer({ stripe, db }: StripeContext, payer: Charge['payer']): Promise<string> {
  const { userId, email, firstName, lastName } = payer
  const known = await queries.selectCustomer(db, userId)
  if (known?.customer_id) return known.customer_id
  const name = [firstName, lastName].filter(Boolean).join(' ')
  const request = { email, ...(name ? { name } : {}), metadata: { user_id: userId } }
  const hash = createHash('sha256').update(JSON.stringify([request, known?.deleted_customer_id]))
  const digest = toLetters(hash.digest()).slice(0, 16)
  const { id } = await stripe.customers.create(request, { idempotencyKey: `customer:${userId}:${digest}` })
  await queries.insertCustomer(db, userId, id)
  // A concurrent payment of the user may already have stored a customer.
  return (await queries.selectCustomer(db, userId))?.customer_id ?? id
}

/** Returns the e-mail address of a payment's customer, or undefined if Stripe has none. */
export async function findEmail(stripe: Stripe, reference: string): Promise<string | undefined> {
  const customer = idOf((await stripe.paymentIntents.retrieve(reference)).customer)
  if (customer === undefined) return undefined
  const known = await stripe.customers.retrieve(customer)
  return known.deleted ? undefined : (known.email ?? undefined)
}
