import { requireActiveViewer } from '#server/features/members/members.ts'
import type { Call } from '#server/platform/http/route.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { runIdempotently } from './idempotency.ts'
import { assertNoCardNumber } from './assert-no-card-number.ts'

type IdempotentCall = Pick<Call, 'viewer' | 'language' | 'setHeader' | 'idempotencyKey' | 'ip'> & {
  body: object
}

/**
 * Runs a request once per `Idempotency-Key`. Before that, refuses a body that contains a card number, so that no card
 * number is stored.
 */
export async function withIdempotencyKey<T>(
  context: BillingContext,
  call: IdempotentCall,
  path: string,
  work: (reservedId: string) => Promise<T>,
  kind?: 'ord' | 'pmc',
): Promise<T> {
  const { fbclid: _, ttclid: __, ...checkedBody } = call.body as Record<string, unknown>
  assertNoCardNumber(checkedBody)
  const { userId, role } = await requireActiveViewer(context, call)
  if (call.idempotencyKey !== undefined)
    context.quotas.spendOrThrow('idempotencyKeys', role === 'member' ? userId : call.ip)
  const now = context.clock.now()
  return runIdempotently(
    context.db,
    { userId, key: call.idempotencyKey, path, body: call.body, kind, now },
    work,
  )
}
