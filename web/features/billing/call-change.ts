import { changeMethod, type MethodChange } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { call, CallFailed } from '#web/lib/api.ts'
import { keyKeeper, toldToWait } from './pay.ts'

const withChangeKey = keyKeeper()

/** Begins to have another method charged; an answer that was lost is asked for once more, which begins nothing twice. */
export async function beginChange(body: BodyOf<typeof changeMethod>): Promise<MethodChange> {
  const send = () => withChangeKey(body, (idempotencyKey) => call(changeMethod, { body, idempotencyKey }))
  try {
    return await send()
  } catch (error) {
    if (error instanceof CallFailed && !toldToWait(error)) return send()
    throw error
  }
}

/** A change of method as its gateway has it now, and brought on where it waited for the person. */
export const followChange = (change_id: string): Promise<MethodChange> =>
  call(changeMethod, { body: { change_id } })
