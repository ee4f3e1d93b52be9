import { Refusal } from '#contract/errors.ts'
import type { AuditedEvent } from '#contract/studio/audit-events.ts'
import { hashNetwork, writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import type { Db } from '#server/tables.ts'
import type { MembersContext } from './members-context.ts'

/** Events that unauthenticated clients can cause in any number. */
const rateLimitedEvents: ReadonlySet<AuditedEvent> = new Set([
  'sign_in_failed',
  'consent_changed',
  'data_exported',
])

/**
 * Writes an account's audit event, in the transaction of the change that it records. `userId` is null if no account is
 * known. Events that unauthenticated clients can cause are limited per network and hour.
 */
export async function auditCall(
  { clock, secret, quotas }: Pick<MembersContext, 'clock' | 'secret' | 'quotas'>,
  tx: Db,
  call: { ip: string },
  event: AuditedEvent,
  userId: string | null,
  details?: Record<string, unknown>,
): Promise<void> {
  if (rateLimitedEvents.has(event) && quotas.spend('auditEvents', call.ip) > 0) return
  const at = clock.now()
  await writeAuditEvent(tx, {
    event,
    userId,
    networkHash: hashNetwork(secret, call.ip),
    at,
    ...(details ? { details } : {}),
  })
}

/** Writes the audit event of a failed sign-in if the error is a wrong authenticator code. Rethrows the error. */
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
