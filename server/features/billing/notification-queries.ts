import type { Insertable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { NextCheck } from './check-queries.ts'
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

/** Takes the notifications whose time to be applied has come, and sets when they are tried next. */
export async function takeDueNotifications(tx: Tx, now: Date, next: NextCheck, limit: number) {
  const due = await tx
    .selectFrom('notifications')
    .select(['gateway', 'event_id', 'reference', 'checks'])
    .where('applied_at', 'is', null)
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { gateway, event_id, checks } of due) {
    await tx
      .updateTable('notifications')
      .set({ checks: checks + 1, check_at: next(checks + 1) })
      .where('gateway', '=', gateway)
      .where('event_id', '=', event_id)
      .execute()
  }
  return due
}

/** Whether a notification still waits to be applied. */
export async function isOpenNotification(db: Db, gateway: GatewayId, eventId: string): Promise<boolean> {
  const row = await db
    .selectFrom('notifications')
    .select('event_id')
    .where('gateway', '=', gateway)
    .where('event_id', '=', eventId)
    .where('applied_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function markApplied(db: Db, gateway: GatewayId, eventId: string, now: Date): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ applied_at: now })
    .where('gateway', '=', gateway)
    .where('event_id', '=', eventId)
    .execute()
}
