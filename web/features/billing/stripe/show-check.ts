import { openStripe } from './open-stripe.ts'

/** Has Stripe's script show the bank's check of a payment, until the person has answered. Our server knows how it went. */
export async function showCheck(clientSecret: string): Promise<void> {
  const stripe = await openStripe()
  await stripe.handleNextAction({ clientSecret })
}
