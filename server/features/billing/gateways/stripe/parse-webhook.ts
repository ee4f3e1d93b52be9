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
  /** The list has two secrets during a rotation. */
  webhookSecrets: readonly string[]
  clock: Clock
}

const WithId = Type.Object({ id: GatewayReference })

/** The properties of an event that this site reads. Some objects, such as a balance, have no id. */
const StripeEvent = Type.Object({
  id: GatewayReference,
  data: Type.Object({
    object: Type.Object({
      id: Type.Optional(GatewayReference),
      payment_intent: Type.Optional(Type.Union([GatewayReference, WithId, Type.Null()])),
    }),
  }),
})

/** Maximum age of a signature. */
const toleranceSeconds = 300

/**
 * Verifies an event and returns its id with the id of its payment, setup or saved card. Events about charges, refunds
 * and disputes contain the payment's id. An unrelated event has a reference for which later lookups find nothing.
 * @throws WebhookRefused if the signature is invalid or too old
 */
export function parseWebhook(
  signing: WebhookContext,
  body: Buffer,
  headers: Record<string, string | string[] | undefined>,
): WebhookEvent {
  const event: unknown = verify(signing, body, String(headers['stripe-signature']))
  if (!Value.Check(StripeEvent, event)) throw new WebhookRefused('the body is not an event of Stripe')
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
  throw new WebhookRefused('the signature is invalid or too old')
}
