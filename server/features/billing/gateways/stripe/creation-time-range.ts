import Stripe from 'stripe'

/** Tolerances in seconds: for the difference between our clock and Stripe's, and for the duration of a request. */
const [clockToleranceSeconds, requestToleranceSeconds] = [5 * 60, 10 * 60]

/**
 * Returns the range of creation times, in Unix seconds, for an object that we requested at `startedAt`. The range keeps
 * lists short.
 */
export function createdAround(startedAt: Date): { gte: number; lte: number } {
  const sent = Math.floor(startedAt.getTime() / 1000)
  return { gte: sent - clockToleranceSeconds, lte: sent + requestToleranceSeconds }
}

/** Returns whether Stripe reports that the object does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'
}
