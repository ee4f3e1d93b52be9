import { openStripe } from './open-stripe.ts'

/**
 * Shows the 3-D Secure check of a payment with Stripe's script, until the user has completed or closed it. The result
 * is read from our server.
 */
export async function handleNextAction(clientSecret: string): Promise<void> {
  const stripe = await openStripe()
  await stripe.handleNextAction({ clientSecret })
}
