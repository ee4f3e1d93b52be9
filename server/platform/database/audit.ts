import { createHmac } from 'node:crypto'
import { sql, type QueryExecutorProvider } from 'kysely'
import type { AuditedEvent } from '#contract/studio/audit-events.ts'
import { networkOf } from '#server/platform/http/limits/network-of.ts'

interface Entry {
  event: AuditedEvent
  /** Null if nobody is behind it: a sign-in with an unknown address. */
  userId: string | null
  /** From `originOf`; omitted if no person's call caused it. */
  origin?: string
  at: Date
  /** The address of the operator who did it; left out for the command line and for viewers. */
  operator?: string
  /** What it was done to, such as a video's id. */
  subject?: string
  details?: Record<string, unknown>
}

/** Records permanently who did what, without addresses, passwords or tokens, in the transaction of the change. */
export async function writeAudit(
  tx: QueryExecutorProvider,
  { event, userId, origin, at, operator, subject, details = {} }: Entry,
): Promise<void> {
  await sql`INSERT INTO audit_events (at, event, user_id, origin, operator, subject, details)
    VALUES (${at}, ${event}, ${userId}, ${origin ?? null}, ${operator ?? null}, ${subject ?? null},
      ${JSON.stringify(details)})`.execute(tx)
}

/** The audit log's form of a network: equal for equal networks, and unreadable without the secret. */
export function originOf(secret: string, ip: string): string {
  return createHmac('sha256', secret)
    .update(`origin|${networkOf(ip)}`)
    .digest('base64url')
    .slice(0, 22)
}
