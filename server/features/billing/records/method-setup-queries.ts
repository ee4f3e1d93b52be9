import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'
import { attemptStates, openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import { takeDueForPolling, type DueQuery } from './polling-queries.ts'
import { checkTransition } from '#server/features/billing/states/state-machine.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type MethodSetupRow = Selectable<tables.MethodChangesTable>

export function insertMethodSetup(
  tx: Tx,
  setup: Insertable<tables.MethodChangesTable>,
): Promise<MethodSetupRow> {
  return tx.insertInto('method_changes').values(setup).returningAll().executeTakeFirstOrThrow()
}

export function selectMethodSetup(db: Db, id: string) {
  return db.selectFrom('method_changes').selectAll().where('id', '=', id).executeTakeFirst()
}

export function selectMethodSetupByReference(db: Db, gateway: GatewayId, reference: string) {
  return db
    .selectFrom('method_changes')
    .selectAll()
    .where('gateway', '=', gateway)
    .where('reference', '=', reference)
    .executeTakeFirst()
}

/** Returns a user's changes that may still succeed, latest first. */
export function selectOpenMethodSetups(db: Db, userId: string) {
  return db
    .selectFrom('method_changes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('status', 'in', openAttemptStatuses)
    .orderBy('started_at', 'desc')
    .execute()
}

/** Returns the change before a user's `latest` most recent ones. */
export function selectMethodSetupBefore(db: Db, userId: string, latest: number) {
  return db
    .selectFrom('method_changes')
    .select('started_at')
    .where('user_id', '=', userId)
    .orderBy('started_at', 'desc')
    .offset(latest)
    .limit(1)
    .executeTakeFirst()
}

/** @throws IllegalTransition if the change is in no state that leads to `to` */
export async function transitionMethodSetup(
  tx: Tx,
  id: string,
  to: tables.AttemptStatus,
  change: Updateable<tables.MethodChangesTable> = {},
): Promise<void> {
  const update = tx
    .updateTable('method_changes')
    .set({ ...change, status: to })
    .where('id', '=', id)
    .where('status', 'in', attemptStates.sourcesOf(to))
  checkTransition(await update.executeTakeFirstOrThrow(), `method change ${id} to ${to}`)
}

/** Sets the user's next step for a waiting change. */
export async function setNextStepOfMethodSetup(tx: Tx, id: string, next_step: string | null): Promise<void> {
  await tx.updateTable('method_changes').set({ next_step }).where('id', '=', id).execute()
}

/** Schedules a user's open changes for polling now. */
export async function pollMethodSetupsSoon(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('method_changes')
    .set({ check_at: now, checks: 0 })
    .where('user_id', '=', userId)
    .where('status', 'in', openAttemptStatuses)
    .execute()
}

/** Literals, to match the condition of the partial index. */
const openStatuses = openAttemptStatuses.map((status) => sql.lit(status))

/** Takes the open changes that are due. */
export function takeDueMethodSetups(tx: Tx, due: DueQuery): Promise<MethodSetupRow[]> {
  const open = tx.selectFrom('method_changes').selectAll().where('status', 'in', openStatuses)
  return takeDueForPolling(open, due, ({ id }, poll) =>
    tx.updateTable('method_changes').set(poll).where('id', '=', id),
  )
}
