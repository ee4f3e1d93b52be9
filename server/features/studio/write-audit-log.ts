import type { AuditedCommand } from '#contract/studio/audit-events.ts'
import { hashNetwork, writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import type { Db } from '#server/tables.ts'
import type { StudioContext } from './studio-context.ts'

/**
 * The audit-log entry of a change: its subject, and the subject's values before and after. A creation has only `after`,
 * a deletion only `before`.
 */
export type Change = { subject: string } & (
  | { before: unknown; after?: unknown }
  | { before?: unknown; after: unknown }
)

/** Who made a change, and from which address. The command line has neither. */
interface Origin {
  operator?: { email: string } | null
  ip?: string
}

/** Writes the audit-log entry for a change by a command or an upload. */
export function auditCommand(
  { clock, secret }: StudioContext,
  db: Db,
  { command }: { command: AuditedCommand },
  { operator, ip }: Origin,
  { subject, ...details }: Change,
): Promise<void> {
  return writeAuditEvent(db, {
    event: `studio ${command}`,
    userId: null,
    at: clock.now(),
    subject,
    details,
    ...(operator ? { operator: operator.email } : {}),
    ...(ip === undefined ? {} : { networkHash: hashNetwork(secret, ip) }),
  })
}
