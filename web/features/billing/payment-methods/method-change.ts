import { changeMethod, type MethodChange } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { call, CallFailed } from '#web/lib/api.ts'
import { createKeyedSender, isRateLimited } from '#web/features/billing/payments/pay.ts'

const withChangeKey = createKeyedSender()

/** Starts a change of payment method. Repeats a lost call once with the same idempotency key, so that it starts only one. */
export async function startMethodChange(body: BodyOf<typeof changeMethod>): Promise<MethodChange> {
  const send = () => withChangeKey(body, (idempotencyKey) => call(changeMethod, { body, idempotencyKey }))
  try {
    return await send()
  } catch (error) {
    if (error instanceof CallFailed && !isRateLimited(error)) return send()
    throw error
  }
}

/** Returns a change of method as its gateway now has it, after advancing it if it was waiting for the user. */
export const syncMethodChange = (change_id: string): Promise<MethodChange> =>
  call(changeMethod, { body: { change_id } })
