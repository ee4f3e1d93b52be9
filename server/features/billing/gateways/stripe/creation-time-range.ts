import Stripe from 'stripe'

/** The tolerance for clock differences from Stripe, and for the time that a request takes, in seconds. */
const [clockToleranceSeconds, requestToleranceSeconds] = [5 * 60, 10 * 60]

/** Returns the range of Stripe's creation times for a request that we sent then, in seconds: it keeps a list short. */
export function createdAround(startedAt: Date): { gte: number; lte: number } {
  const sent = Math.floor(startedAt.getTime() / 1000)
  return { gte: sent - clockToleranceSeconds, lte: sent + requestToleranceSeconds }
}

/** Returns whether Stripe reports that the object does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'
}
