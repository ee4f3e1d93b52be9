import { listPlans } from '#contract/billing.ts'
import { call } from '#web/lib/api.ts'
import { loadStripe } from './load-stripe.ts'
import type { StripeScript } from './stripe-script.ts'

/** Loads Stripe's script and initializes it with the operator's publishable key. */
export async function openStripe(): Promise<StripeScript> {
  const [open, { gateways }] = await Promise.all([loadStripe(), call(listPlans)])
  const key = gateways.find(({ id }) => id === 'stripe')?.public_key
  if (key === undefined) throw new Error('Stripe is not among the offered gateways')
  return open(key)
}
