import { createHmac } from 'node:crypto'
import { sql, type QueryExecutorProvider } from 'kysely'
import type { AuditedEvent } from '#contract/studio/audit-events.ts'
import { networkOf } from '#server/platform/http/limits/client-network.ts'

interface AuditEntry {
  event: AuditedEvent
  /** Null if no account is known, as for a sign-in with an unknown address. */
  userId: string | null
  /** The network's hash from `hashNetwork`; omitted if no client's call caused the event. */
  networkHash?: string
  at: Date
  /** The operator's address; omitted for the command line and for viewers. */
  operator?: string
  /** The id of the changed object, such as a video's. */
  subject?: string
  details?: Record<string, unknown>
}

/**
 * Records an audit event permanently, in the transaction of the change. It contains no passwords, no tokens, and no
 * addresses of viewers.
 */
export async function writeAuditEvent(
  tx: QueryExecutorProvider,
  { event, userId, networkHash, at, operator, subject, details = {} }: AuditEntry,
): Promise<void> {
  await sql`INSERT INTO audit_events (at, event, user_id, network_hash, operator, subject, details)
    VALUES (${at}, ${event}, ${userId}, ${networkHash ?? null}, ${operator ?? null}, ${subject ?? null},
      ${JSON.stringify(details)})`.execute(tx)
}

/** Returns a keyed hash of a network for the audit log. The hash is irreversible without the secret. */
export function hashNetwork(secret: string, ip: string): string {
  return createHmac('sha256', secret)
    .update(`origin|${networkOf(ip)}`)
    .digest('base64url')
    .slice(0, 22)
}
