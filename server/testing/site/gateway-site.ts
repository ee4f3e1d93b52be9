import { FakePaypal } from '#server/features/billing/gateways/paypal/fake/fake-paypal.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { startFakeStripe, type FakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { startTestSite, type TestSite } from './test-site.ts'

/** A site with fakes of Stripe and PayPal, which share its clock. */
export interface GatewaySite {
  site: TestSite
  stripe: FakeStripe
  paypal: FakePaypal
  /** Connects the gateways' webhooks to the site. Tests may have disconnected them. */
  connectWebhooks(): void
  /** Advances the time, and runs the site's renewals and janitor job. */
  advanceAndRunJobs(milliseconds: number): Promise<void>
  close(): Promise<void>
}

export async function startGatewaySite(): Promise<GatewaySite> {
  let offset = 0
  const clock = { now: () => new Date(Date.now() + offset) }
  const stripe = await startFakeStripe(clock)
  const paypal = await FakePaypal.start()
  const site = await startTestSite({ clock }, { ...stripe.env, ...paypal.settings })
  return {
    site,
    stripe,
    paypal,
    connectWebhooks() {
      stripe.webhookUrl = `${site.url}/api/webhook/payment/stripe`
      paypal.webhookUrl = `${site.url}/api/webhook/payment/paypal`
    },
    async advanceAndRunJobs(milliseconds) {
      offset += milliseconds
      paypal.clockOffsetMs = offset
      await runJanitor(site.context)
      await renewDueSubscriptions(site.context)
    },
    async close() {
      await site.close()
      await stripe.close()
      await paypal.close()
    },
  }
}
