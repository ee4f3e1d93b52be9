import { changePaymentMethod, type PaymentMethodChange } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { call, RequestError } from '#web/lib/api.ts'
import { createIdempotentSender, isRateLimited } from '#web/features/billing/payments/pay.ts'

const withChangeKey = createIdempotentSender()

/**
 * Starts a change of payment method. If no response arrives, repeats the call once with the same idempotency key, so
 * that only one change starts.
 */
export async function startMethodChange(
  body: BodyOf<typeof changePaymentMethod>,
): Promise<PaymentMethodChange> {
  const send = () =>
    withChangeKey(body, (idempotencyKey) => call(changePaymentMethod, { body, idempotencyKey }))
  try {
    return await send()
  } catch (error) {
    if (error instanceof RequestError && !isRateLimited(error)) return send()
    throw error
  }
}

/**
 * Syncs a change of payment method with its gateway and returns its state. If the change was waiting for the user,
 * advances it first.
 */
export const syncMethodChange = (setup_id: string): Promise<PaymentMethodChange> =>
  call(changePaymentMethod, { body: { setup_id } })
