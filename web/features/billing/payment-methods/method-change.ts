import { changeMethod, type MethodChange } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { call, CallFailed } from '#web/lib/api.ts'
import { createKeyedSender, isRateLimited } from '#web/features/billing/payments/pay.ts'

const withChangeKey = createKeyedSender()

/** Begins to have another method charged; an answer that was lost is asked for once more, which begins nothing twice. */
export async function startMethodChange(body: BodyOf<typeof changeMethod>): Promise<MethodChange> {
  const send = () => withChangeKey(body, (idempotencyKey) => call(changeMethod, { body, idempotencyKey }))
  try {
    return await send()
  } catch (error) {
    if (error instanceof CallFailed && !isRateLimited(error)) return send()
    throw error
  }
}

/** A change of method as its gateway has it now, and brought on where it waited for the person. */
export const syncMethodChange = (change_id: string): Promise<MethodChange> =>
  call(changeMethod, { body: { change_id } })
