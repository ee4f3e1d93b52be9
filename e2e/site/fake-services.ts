import { FakePaypal } from '#server/features/billing/gateways/paypal/fake/fake-paypal.ts'
import { systemClock } from '#server/platform/clock.ts'
import { startFakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { pixelIds } from '#e2e/fakes/pixel-servers.ts'
import { siteUrl, stripePort } from '#e2e/support/site-url.ts'
import { startSocialIssuer } from '#e2e/fakes/social-issuer.ts'

let started: Promise<Record<string, string>> | undefined

/** Starts the fake third-party services, once per process. @returns the settings of a site that uses them */
export function startFakeServices(): Promise<Record<string, string>> {
  return (started ??= start())
}

async function start(): Promise<Record<string, string>> {
  const [stripe, paypal, issuer] = await Promise.all([
    startFakeStripe(systemClock, stripePort),
    FakePaypal.start(),
    startSocialIssuer(),
  ])
  stripe.webhookUrl = `${siteUrl}/api/webhook/payment/stripe`
  stripe.webhooks = [{ url: stripe.webhookUrl, status: 'enabled', enabled_events: ['*'] }]
  paypal.webhookUrl = `${siteUrl}/api/webhook/payment/paypal`
  return {
    ...stripe.env,
    ...paypal.settings,
    ...issuer,
    ALLOW_SANDBOX: '1',
    FACEBOOK_PIXEL_ID: pixelIds.meta,
    GOOGLE_ANALYTICS: pixelIds.google,
    TIKTOK_PIXEL: pixelIds.tiktok,
    BIGO_PIXEL: pixelIds.bigo,
  }
}
