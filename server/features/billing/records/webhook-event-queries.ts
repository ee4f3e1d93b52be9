import { sql, type Insertable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import { deleteExpired, type PurgeOptions } from '#server/platform/database/delete-expired.ts'
import type { Db, Tx } from '#server/tables.ts'
import { takeDueForPolling, type DueQuery } from './polling-queries.ts'
import type * as tables from '#server/features/billing/tables.ts'

/**
 * Stores a webhook event of a gateway, or an internal event that makes the site look up a payment method. Storing the
 * same event again changes nothing.
 */
export async function insertWebhookEvent(
  db: Db,
  event: Insertable<tables.WebhookEventsTable>,
): Promise<void> {
  await db
    .insertInto('webhook_events')
    .values(event)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Takes the webhook events that must be applied now. */
export function takeDueWebhookEvents(tx: Tx, due: DueQuery) {
  const open = tx
    .selectFrom('webhook_events')
    .select(['gateway', 'event_id', 'reference', 'poll_count'])
    .where('applied_at', 'is', null)
  return takeDueForPolling(open, due, ({ gateway, event_id }, poll) =>
    tx
      .updateTable('webhook_events')
      .set(poll)
      .where('gateway', '=', gateway)
      .where('event_id', '=', event_id),
  )
}

/** Returns whether a stored webhook event has not been applied yet. */
export async function isUnappliedWebhookEvent(db: Db, gateway: GatewayId, eventId: string): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_events')
    .select('event_id')
    .where('gateway', '=', gateway)
    .where('event_id', '=', eventId)
    .where('applied_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function markWebhookEventApplied(
  db: Db,
  gateway: GatewayId,
  eventId: string,
  now: Date,
): Promise<void> {
  await db
    .updateTable('webhook_events')
    .set({ applied_at: now })
    .where('gateway', '=', gateway)
    .where('event_id', '=', eventId)
    .execute()
}

/**
 * Deletes the events that were applied before a time. Without the index of migration 0023, deletes nothing, because each
 * batch would read all events.
 */
export function deleteAppliedWebhookEvents(db: Db, before: Date, options?: PurgeOptions): Promise<void> {
  const condition = sql`EXISTS (
    SELECT FROM pg_index WHERE indexrelid = to_regclass('webhook_events_applied') AND indisvalid)`
  return deleteExpired(db, { table: 'webhook_events', time: 'applied_at', before, condition }, options)
}
