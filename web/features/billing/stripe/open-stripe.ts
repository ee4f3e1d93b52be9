import { listPlans } from '#contract/billing.ts'
import { call } from '#web/lib/api.ts'
import { loadStripe } from './load-stripe.ts'
import type { StripeScript } from './stripe-script.ts'

/** Stripe's script, opened with the operator's key for browsers. */
export async function openStripe(): Promise<StripeScript> {
  const [open, { gateways }] = await Promise.all([loadStripe(), call(listPlans)])
  const key = gateways.find(({ id }) => id === 'stripe')?.public_key
  if (key === undefined) throw new Error('Stripe is not offered')
  return open(key)
}
