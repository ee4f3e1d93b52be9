import Stripe from 'stripe'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'
import { toStripe } from './amounts.ts'

interface RefundRequest {
  reference: string
  amountCents: number
  key: string
}

/**
 * Makes a refund once per key, even if the request is repeated much later. Stripe forgets idempotency keys after a day.
 * Therefore each refund stores the key in its metadata, and each request first searches for a refund with this key.
 * @throws GatewayRefused if Stripe refuses permanently
 */
export async function refundOnce(
  stripe: Stripe,
  { reference, amountCents, key }: RefundRequest,
): Promise<void> {
  try {
    const [{ currency }, earlier] = await Promise.all([
      stripe.paymentIntents.retrieve(reference),
      findRefund(stripe, reference, key),
    ])
    const amount = toStripe(amountCents, currency.toUpperCase())
    if (earlier && earlier.amount !== amount)
      throw new GatewayRefused(`key ${key} was used for another refund`)
    const request = {
      payment_intent: reference,
      amount,
      reason: 'requested_by_customer' as const,
      metadata: { key },
    }
    const { status } = earlier ?? (await stripe.refunds.create(request, { idempotencyKey: key }))
    if (status === 'failed' || status === 'canceled')
      throw new GatewayRefused(`the refund ${key} is ${status}`)
  } catch (error) {
    throw isPermanentRefusal(error) ? new GatewayRefused(error.message, { cause: error }) : error
  }
}

async function findRefund(
  stripe: Stripe,
  reference: string,
  key: string,
): Promise<Stripe.Refund | undefined> {
  for await (const refund of stripe.refunds.list({ payment_intent: reference, limit: 100 }))
    if (refund.metadata?.['key'] === key) return refund
  return undefined
}

function isPermanentRefusal(error: unknown): error is Stripe.errors.StripeError {
  const { StripeIdempotencyError, StripeInvalidRequestError } = Stripe.errors
  if (error instanceof StripeIdempotencyError) return true
  // A low balance of the Stripe account is a temporary reason.
  return error instanceof StripeInvalidRequestError && error.code !== 'balance_insufficient'
}
