import type Stripe from 'stripe'
import { redactGatewayError } from '#server/features/billing/gateways/redact-gateway-error.ts'
import type { StripeContext } from './stripe-context.ts'

/** The webhook events that change a payment or a saved card (listed in docs/payments.md). */
export const requiredEvents = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.canceled',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'payment_method.detached',
  'setup_intent.succeeded',
  'setup_intent.setup_failed',
]

/** Time limit of the request for Stripe's list of webhooks. The site's start waits for this request. */
const timeoutMs = 3000

/** Returns the required events that Stripe does not send to this site. Returns all of them if no webhook is enabled. */
export async function listMissingEvents(stripe: Stripe, publicUrl: string): Promise<string[]> {
  const address = `${publicUrl}/api/webhook/payment/stripe`
  const subscribedEvents = new Set<string>()
  for await (const { url, status, enabled_events } of stripe.webhookEndpoints.list(
    { limit: 100 },
    { timeout: timeoutMs },
  ))
    if (url === address && status === 'enabled') for (const name of enabled_events) subscribedEvents.add(name)
  return subscribedEvents.has('*') ? [] : requiredEvents.filter((name) => !subscribedEvents.has(name))
}

/** Logs the missing events when the site starts. Never throws. */
export async function reportMissingEvents({ stripe, log }: StripeContext, publicUrl: string): Promise<void> {
  try {
    const missing = await listMissingEvents(stripe, publicUrl)
    if (missing.length > 0)
      log.error(
        { missing },
        "Stripe's webhook is not subscribed to all required events; add these events at Stripe",
      )
  } catch (error) {
    log.warn(
      { ...redactGatewayError(error), gateway: 'stripe' },
      "The subscribed events of Stripe's webhook could not be read",
    )
  }
}
