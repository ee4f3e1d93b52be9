import { requireStanding } from '#server/features/members/members.ts'
import type { Call } from '#server/platform/http/route.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { answerOnce } from './idempotency.ts'
import { refuseCardNumber } from './refuse-card-number.ts'

type Asked = Pick<Call, 'viewer' | 'language' | 'setHeader' | 'idempotencyKey' | 'ip'> & { body: object }

/** Rejects card numbers first, so that none is ever stored; then answers once per `Idempotency-Key`. */
export async function once<T>(
  context: BillingContext,
  call: Asked,
  path: string,
  work: (reservedId: string) => Promise<T>,
  kind?: 'ord' | 'pmc',
): Promise<T> {
  const { fbclid: _, ttclid: __, ...own } = call.body as Record<string, unknown>
  refuseCardNumber(own)
  const { userId, role } = await requireStanding(context, call)
  if (call.idempotencyKey !== undefined) context.quotas.take('keys', role === 'member' ? userId : call.ip)
  const now = context.clock.now()
  return answerOnce(context.db, { userId, key: call.idempotencyKey, path, body: call.body, kind, now }, work)
}
