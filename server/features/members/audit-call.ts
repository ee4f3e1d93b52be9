import { Refusal } from '#contract/errors.ts'
import type { AuditedEvent } from '#contract/studio/audit-events.ts'
import { originOf, writeAudit } from '#server/platform/database/audit.ts'
import type { Db } from '#server/tables.ts'
import type { MembersContext } from './members-context.ts'

/** What strangers can cause as often as they like. */
const boundedEvents: ReadonlySet<AuditedEvent> = new Set(['sign_in_failed', 'consent_changed', 'exported'])

/**
 * Writes down what a call did to an account, in its transaction. `userId` is null if nobody is behind it. Of what strangers can
 * cause at will, a network leaves so many entries an hour and no more.
 */
export async function auditCall(
  { clock, secret, quotas }: Pick<MembersContext, 'clock' | 'secret' | 'quotas'>,
  tx: Db,
  call: { ip: string },
  event: AuditedEvent,
  userId: string | null,
  details?: Record<string, unknown>,
): Promise<void> {
  if (boundedEvents.has(event) && quotas.spend('audit', call.ip) > 0) return
  const at = clock.now()
  await writeAudit(tx, {
    event,
    userId,
    origin: originOf(secret, call.ip),
    at,
    ...(details ? { details } : {}),
  })
}

/** Rethrows an error; if it says that the authenticator code was wrong, records a failed sign-in. */
export async function auditWrongCode(
  context: Pick<MembersContext, 'db' | 'clock' | 'secret' | 'quotas'>,
  call: { ip: string },
  userId: string,
  error: unknown,
): Promise<never> {
  if (error instanceof Refusal && error.reason === 'codeWrong')
    await auditCall(context, context.db, call, 'sign_in_failed', userId, { second_factor: true })
  throw error
}
