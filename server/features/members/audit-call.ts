import { Refusal } from '#contract/errors.ts'
import type { AuditedEvent } from '#contract/studio/deeds.ts'
import { originOf, writeAudit } from '#server/platform/database/audit.ts'
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

/** Throws an error again; where it says that the code of the second factor was wrong, the sign-in is written down as failed. */
export async function auditWrongCode(
  context: Pick<MembersContext, 'db' | 'clock' | 'secret'>,
  call: { ip: string },
  userId: string,
  error: unknown,
): Promise<never> {
  if (error instanceof Refusal && error.reason === 'codeWrong')
    await auditCall(context, context.db, call, 'sign_in_failed', userId, { second_factor: true })
  throw error
}
