import { systemClock } from '#server/platform/clock.ts'
import { startFakeStripe } from '#server/testing/fake-stripe.ts'
import { siteUrl, stripePort } from './site-url.ts'

/** The stand-in for Stripe's API, beside the sandbox. @returns the site's settings for it */
export async function startStripe(): Promise<Record<string, string>> {
  const stripe = await startFakeStripe(systemClock, stripePort)
  stripe.webhookUrl = `${siteUrl}/api/webhook/payment/stripe`
  return { ...stripe.env, ALLOW_SANDBOX: '1' }
}
