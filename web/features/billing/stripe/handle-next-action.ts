import { openStripe } from './open-stripe.ts'

/** Shows the bank's check of a payment with Stripe's script until the user has answered. The result is read from our server. */
export async function handleNextAction(clientSecret: string): Promise<void> {
  const stripe = await openStripe()
  await stripe.handleNextAction({ clientSecret })
}
