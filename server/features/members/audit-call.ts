import { originOf, writeAudit, type AuditedEvent } from '#server/platform/database/audit.ts'
import type { Db } from '#server/tables.ts'
import type { MembersContext } from './members-context.ts'

/** Writes down what a call did to an account, in its transaction. `userId` is null where nobody is behind it. */
export function auditCall(
  { clock, secret }: Pick<MembersContext, 'clock' | 'secret'>,
  tx: Db,
  call: { ip: string },
  event: AuditedEvent,
  userId: string | null,
  details?: Record<string, unknown>,
): Promise<void> {
  const at = clock.now()
  return writeAudit(tx, {
    event,
    userId,
    origin: originOf(secret, call.ip),
    at,
    ...(details ? { details } : {}),
  })
}
