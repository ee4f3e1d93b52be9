import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'
import { attemptStates, openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import { takeDueForPolling, type DueQuery } from './polling-queries.ts'
import { checkTransition } from '#server/features/billing/states/state-machine.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type MethodSetupRow = Selectable<tables.PaymentMethodSetupsTable>

export function insertMethodSetup(
  tx: Tx,
  setup: Insertable<tables.PaymentMethodSetupsTable>,
): Promise<MethodSetupRow> {
  return tx.insertInto('payment_method_setups').values(setup).returningAll().executeTakeFirstOrThrow()
}

export function selectMethodSetup(db: Db, id: string) {
  return db.selectFrom('payment_method_setups').selectAll().where('id', '=', id).executeTakeFirst()
}

export function selectMethodSetupByReference(db: Db, gateway: GatewayId, reference: string) {
  return db
    .selectFrom('payment_method_setups')
    .selectAll()
    .where('gateway', '=', gateway)
    .where('reference', '=', reference)
    .executeTakeFirst()
}

/** Returns a user's method setups that may still succeed, latest first. */
export function selectOpenMethodSetups(db: Db, userId: string) {
  return db
    .selectFrom('payment_method_setups')
    .selectAll()
    .where('user_id', '=', userId)
    .where('status', 'in', openAttemptStatuses)
    .orderBy('started_at', 'desc')
    .execute()
}

/** Skips the `latest` most recent method setups of a user, and returns the start time of the setup before them. */
export function selectMethodSetupBefore(db: Db, userId: string, latest: number) {
  return db
    .selectFrom('payment_method_setups')
    .select('started_at')
    .where('user_id', '=', userId)
    .orderBy('started_at', 'desc')
    .offset(latest)
    .limit(1)
    .executeTakeFirst()
}

/** Changes the status of a method setup. @throws IllegalTransition if the current status cannot change to `to` */
export async function transitionMethodSetup(
  tx: Tx,
  id: string,
  to: tables.AttemptStatus,
  change: Updateable<tables.PaymentMethodSetupsTable> = {},
): Promise<void> {
  const update = tx
    .updateTable('payment_method_setups')
    .set({ ...change, status: to })
    .where('id', '=', id)
    .where('status', 'in', attemptStates.sourcesOf(to))
  checkTransition(await update.executeTakeFirstOrThrow(), `method setup ${id} to ${to}`)
}

/** Sets the user's next step for a method setup that waits for the user. */
export async function setNextStepOfMethodSetup(tx: Tx, id: string, next_step: string | null): Promise<void> {
  await tx.updateTable('payment_method_setups').set({ next_step }).where('id', '=', id).execute()
}

/** Schedules an immediate poll of a user's open method setups. */
export async function pollMethodSetupsSoon(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('payment_method_setups')
    .set({ next_poll_at: now, poll_count: 0 })
    .where('user_id', '=', userId)
    .where('status', 'in', openAttemptStatuses)
    .execute()
}

/** SQL literals instead of parameters, so that PostgreSQL can use the partial index with this condition. */
const openStatuses = openAttemptStatuses.map((status) => sql.lit(status))

/** Takes the open method setups that are due for polling. */
export function takeDueMethodSetups(tx: Tx, due: DueQuery): Promise<MethodSetupRow[]> {
  const open = tx.selectFrom('payment_method_setups').selectAll().where('status', 'in', openStatuses)
  return takeDueForPolling(open, due, ({ id }, poll) =>
    tx.updateTable('payment_method_setups').set(poll).where('id', '=', id),
  )
}
