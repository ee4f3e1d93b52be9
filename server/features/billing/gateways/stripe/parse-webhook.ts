import Stripe from 'stripe'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  GatewayReference,
  WebhookRefused,
  type WebhookEvent,
} from '#server/features/billing/gateways/gateway.ts'
import type { Clock } from '#server/platform/clock.ts'
import { idOf } from './intents.ts'

interface WebhookContext {
  stripe: Stripe
  /** Two during a rotation. */
  webhookSecrets: readonly string[]
  clock: Clock
}

const WithId = Type.Object({ id: GatewayReference })

/** The properties that are read. Some objects, such as a balance, have no id. */
const StripeEvent = Type.Object({
  id: GatewayReference,
  data: Type.Object({
    object: Type.Object({
      id: Type.Optional(GatewayReference),
      payment_intent: Type.Optional(Type.Union([GatewayReference, WithId, Type.Null()])),
    }),
  }),
})

/** Older signatures are refused. */
const toleranceSeconds = 300

/**
 * Reads only the id of an event and that of its payment. Payments, charges, refunds and disputes all name the payment; any
 * other event that an operator has subscribed to names none, and is not found when looked up.
 * @throws WebhookRefused if it is not signed by Stripe, or too old
 */
export function parseWebhook(
  signing: WebhookContext,
  body: Buffer,
  headers: Record<string, string | string[] | undefined>,
): WebhookEvent {
  const event: unknown = verify(signing, body, String(headers['stripe-signature']))
  if (!Value.Check(StripeEvent, event)) throw new WebhookRefused('the notification is no event')
  const { id, payment_intent: payment } = event.data.object
  return { eventId: event.id, reference: idOf(payment ?? null) ?? id ?? event.id }
}

function verify(
  { stripe, webhookSecrets, clock }: WebhookContext,
  body: Buffer,
  signature: string,
): Stripe.Event {
  for (const secret of webhookSecrets) {
    try {
      const receivedAt = clock.now().getTime()
      return stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, receivedAt)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error
    }
  }
  throw new WebhookRefused('the signature is not of Stripe, or too old')
}
