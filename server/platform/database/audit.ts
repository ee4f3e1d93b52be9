import { createHmac } from 'node:crypto'
import { sql, type QueryExecutorProvider } from 'kysely'

/** What is written down for good (security.md, "Secrets"): who did what, without addresses, passwords or tokens. */
export type AuditedEvent =
  | 'registered'
  | 'signed_in'
  | 'sign_in_failed'
  | 'signed_out'
  | 'sessions_ended'
  | 'password_changed'
  | 'email_changed'
  | 'second_factor_on'
  | 'second_factor_off'
  | 'consent_changed'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'exported'
  | 'deleted'
  | 'order_paid'
  | 'payment_failed'
  | 'money_returned'
  | 'order_refunded'
  | 'refund_failed'
  | 'order_disputed'
  | 'dispute_ended'
  | 'withdrawn'
  | 'renewals_cancelled'
  | 'renewals_resumed'
  | 'payment_method_changed'
  | 'plan_change_planned'
  | 'plan_change_taken_back'
  | 'operator_signed_in'
  | 'operator_sign_in_failed'
  | 'operator_signed_out'
  | 'operator_let_in'
  /** A command of the studio, by its words. */
  | `studio ${string}`

interface Entry {
  event: AuditedEvent
  /** Null where nobody is behind it: a sign-in with an unknown address. */
  userId: string | null
  /** From `originOf`; left out where no person's call caused it. */
  origin?: string
  at: Date
  /** The address of the operator who did it; left out for the command line and for viewers. */
  operator?: string
  /** What it was done to, such as a video's id. */
  subject?: string
  details?: Record<string, unknown>
}

/** Adds to the audit trail, in the transaction of what happened. */
export async function writeAudit(
  tx: QueryExecutorProvider,
  { event, userId, origin, at, operator, subject, details = {} }: Entry,
): Promise<void> {
  await sql`INSERT INTO audit_events (at, event, user_id, origin, operator, subject, details)
    VALUES (${at}, ${event}, ${userId}, ${origin ?? null}, ${operator ?? null}, ${subject ?? null},
      ${JSON.stringify(details)})`.execute(tx)
}

/** An address as the trail holds it: the same one looks the same, and nobody can read it without the secret. */
export function originOf(secret: string, ip: string): string {
  return createHmac('sha256', secret).update(`origin|${ip}`).digest('base64url').slice(0, 22)
}
