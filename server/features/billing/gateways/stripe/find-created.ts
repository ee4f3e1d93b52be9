import Stripe from 'stripe'

/** How far Stripe's clock may be from ours, and how long a request may be on its way. */
const [clocksDifferBy, arrivesWithin] = [5 * 60, 10 * 60]

/** When something was made at Stripe that we asked for then, in its seconds: it keeps a list short. */
export function createdAround(startedAt: Date): { gte: number; lte: number } {
  const sent = Math.floor(startedAt.getTime() / 1000)
  return { gte: sent - clocksDifferBy, lte: sent + arrivesWithin }
}

/** Whether Stripe says that there is no such thing. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'
}
