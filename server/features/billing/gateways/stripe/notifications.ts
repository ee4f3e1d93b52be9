import Stripe from 'stripe'
import { NotificationRefused, type Notification } from '#server/features/billing/gateway.ts'
import type { Clock } from '#server/platform/clock.ts'

interface Signing {
  stripe: Stripe
  /** Two while one replaces the other. */
  webhookSecrets: readonly string[]
  clock: Clock
}

/** A signature older than this is refused (billing.md, "Stripe"). */
const toleranceSeconds = 300

/**
 * Of an event only its id and what it is about are taken. Payments, charges, refunds and disputes all name the payment;
 * anything else that an operator has sent here is about no payment, and is not found when it is looked up.
 * @throws NotificationRefused where it is not signed by Stripe, or not lately
 */
export function readNotification(
  signing: Signing,
  body: Buffer,
  headers: Record<string, string | string[] | undefined>,
): Notification {
  const { id, data } = verify(signing, body, String(headers['stripe-signature']))
  const { object } = data
  const about = 'payment_intent' in object ? object.payment_intent : 'id' in object && object.id
  return { eventId: id, reference: String(about) }
}

function verify({ stripe, webhookSecrets, clock }: Signing, body: Buffer, signature: string): Stripe.Event {
  for (const secret of webhookSecrets) {
    try {
      const receivedAt = clock.now().getTime()
      return stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, receivedAt)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error
    }
  }
  throw new NotificationRefused('the signature is not of Stripe, or too old')
}
