import type { Insertable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db } from '#server/tables.ts'
import type * as tables from './tables.ts'

/** Records what a gateway told us; the same event a second time changes nothing. */
export async function insertNotification(
  db: Db,
  notification: Insertable<tables.NotificationsTable>,
): Promise<void> {
  await db
    .insertInto('notifications')
    .values(notification)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export function selectOpenNotifications(db: Db, receivedSince: Date, limit: number) {
  return db
    .selectFrom('notifications')
    .select(['gateway', 'event_id', 'reference'])
    .where('applied_at', 'is', null)
    .where('received_at', '>', receivedSince)
    .orderBy('received_at')
    .limit(limit)
    .execute()
}

export async function markApplied(db: Db, gateway: GatewayId, eventId: string, now: Date): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ applied_at: now })
    .where('gateway', '=', gateway)
    .where('event_id', '=', eventId)
    .execute()
}
