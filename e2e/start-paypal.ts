import { FakePaypal } from '#server/features/billing/gateways/paypal/fake-paypal.ts'
import { siteUrl } from './site-url.ts'

/** PayPal's stand-in, beside the sandbox. @returns the site's settings for it */
export async function startPaypal(): Promise<Record<string, string>> {
  const paypal = await FakePaypal.start()
  paypal.webhookUrl = `${siteUrl}/api/webhook/payment/paypal`
  return { ...paypal.settings, ALLOW_SANDBOX: '1' }
}
