import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'
import { attemptStates, openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import { takeDueForPolling, type Due } from './polling-queries.ts'
import { checkMoved } from '#server/features/billing/states/state-machine.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type MethodSetupRow = Selectable<tables.MethodChangesTable>

export function insertMethodSetup(
  tx: Tx,
  change: Insertable<tables.MethodChangesTable>,
): Promise<MethodSetupRow> {
  return tx.insertInto('method_changes').values(change).returningAll().executeTakeFirstOrThrow()
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

/** Those of a person's changes that may still come to something, the latest first. */
export function selectOpenMethodSetups(db: Db, userId: string) {
  return db
    .selectFrom('method_changes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('status', 'in', openAttemptStatuses)
    .orderBy('started_at', 'desc')
    .execute()
}

/** The change that a person began before their latest so many. */
export function selectChangeBefore(db: Db, userId: string, latest: number) {
  return db
    .selectFrom('method_changes')
    .select('started_at')
    .where('user_id', '=', userId)
    .orderBy('started_at', 'desc')
    .offset(latest)
    .limit(1)
    .executeTakeFirst()
}

/** @throws IllegalMove where the change is in no state that leads to `to` */
export async function moveMethodSetup(
  tx: Tx,
  id: string,
  to: tables.AttemptStatus,
  change: Updateable<tables.MethodChangesTable> = {},
): Promise<void> {
  const update = tx
    .updateTable('method_changes')
    .set({ ...change, status: to })
    .where('id', '=', id)
    .where('status', 'in', attemptStates.from(to))
  checkMoved(await update.executeTakeFirstOrThrow(), `method change ${id} to ${to}`)
}

/** What the person has to do now for a change that waits for them. */
export async function setNextStepOfMethodSetup(tx: Tx, id: string, next_step: string | null): Promise<void> {
  await tx.updateTable('method_changes').set({ next_step }).where('id', '=', id).execute()
}

/** Has a person's open changes looked at now. */
export async function pollMethodSetupsSoon(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('method_changes')
    .set({ check_at: now, checks: 0 })
    .where('user_id', '=', userId)
    .where('status', 'in', openAttemptStatuses)
    .execute()
}

/** Written out, as the index of such changes has them. */
const openStatuses = openAttemptStatuses.map((status) => sql.lit(status))

/** Takes the open changes whose time has come. */
export function takeDueMethodSetups(tx: Tx, due: Due): Promise<MethodSetupRow[]> {
  const open = tx.selectFrom('method_changes').selectAll().where('status', 'in', openStatuses)
  return takeDueForPolling(open, due, ({ id }, look) =>
    tx.updateTable('method_changes').set(look).where('id', '=', id),
  )
}
