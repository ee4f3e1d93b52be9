import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import { preparedLookup, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'
import { attemptStates, openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import { takeDueForPolling, type DueQuery } from './polling-queries.ts'
import { checkTransition } from '#server/features/billing/states/state-machine.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type AttemptRow = Selectable<tables.PaymentAttemptsTable>

export function insertAttempt(tx: Tx, attempt: Insertable<tables.PaymentAttemptsTable>): Promise<AttemptRow> {
  return tx.insertInto('payment_attempts').values(attempt).returningAll().executeTakeFirstOrThrow()
}

/** Sets the gateway's reference of a payment that was known only by our own key. */
export async function setReference(tx: Tx, attemptId: string, reference: string): Promise<void> {
  await tx
    .updateTable('payment_attempts')
    .set({ reference })
    .where('id', '=', attemptId)
    .where('reference', 'is', null)
    .execute()
}

/** Sets the dispute of an attempt's payment: its status, the withheld amount, and the gateway's details. */
export async function setDispute(
  tx: Tx,
  attemptId: string,
  dispute: Pick<AttemptRow, 'dispute_status' | 'dispute_debited_cents'> &
    Updateable<tables.PaymentAttemptsTable>,
): Promise<void> {
  await tx.updateTable('payment_attempts').set(dispute).where('id', '=', attemptId).execute()
}

/** Sets the user's next step for a payment that waits for the user. */
export async function setNextStep(tx: Tx, attemptId: string, nextStep: string | null): Promise<void> {
  await tx.updateTable('payment_attempts').set({ next_step: nextStep }).where('id', '=', attemptId).execute()
}

/** Schedules the next poll of an attempt for `at`, unless an earlier poll is scheduled. */
export async function pollBy(db: Db, attemptId: string, at: Date): Promise<void> {
  const update = db.updateTable('payment_attempts').set({ next_poll_at: at }).where('id', '=', attemptId)
  await update.where('next_poll_at', '>', at).execute()
}

/**
 * Schedules the next poll of a payment in status `processing` for `at`, unless a poll at that time or later is
 * scheduled.
 */
export async function pollAgainAt(db: Db, attemptId: string, at: Date): Promise<void> {
  const update = db.updateTable('payment_attempts').set({ next_poll_at: at }).where('id', '=', attemptId)
  await update.where('status', '=', 'processing').where('next_poll_at', '<', at).execute()
}

export function selectAttempt(db: Db, id: string) {
  return db.selectFrom('payment_attempts').selectAll().where('id', '=', id).executeTakeFirst()
}

export function selectAttemptByReference(db: Db, gateway: GatewayId, reference: string) {
  return db
    .selectFrom('payment_attempts')
    .selectAll()
    .where('gateway', '=', gateway)
    .where('reference', '=', reference)
    .executeTakeFirst()
}

const attemptsOf = preparedLookup((db: Db, { orderIds }: Placeholders<{ orderIds: readonly string[] }>) =>
  db
    .selectFrom('payment_attempts')
    .selectAll()
    .where(sql<boolean>`order_id = ANY(${orderIds})`)
    .orderBy('number', 'desc'),
)

/** Returns the attempts of these orders, latest first. */
export function selectAttempts(db: Db, orderIds: readonly string[]) {
  return orderIds.length === 0 ? Promise.resolve([]) : attemptsOf(db, { orderIds })
}

/** Changes the status of an attempt. @throws IllegalTransition if the current status cannot change to `to` */
export async function transitionAttempt(
  tx: Tx,
  id: string,
  to: tables.AttemptStatus,
  change: Updateable<tables.PaymentAttemptsTable> = {},
): Promise<void> {
  const update = tx
    .updateTable('payment_attempts')
    .set({ ...change, status: to })
    .where('id', '=', id)
    .where('status', 'in', attemptStates.sourcesOf(to))
  checkTransition(await update.executeTakeFirstOrThrow(), `attempt ${id} to ${to}`)
}

/** SQL literals instead of parameters, so that PostgreSQL can use the partial index with this condition. */
const openStatuses = openAttemptStatuses.map((status) => sql.lit(status))

/** Takes the open attempts that are due for polling. */
export function takeDueAttempts(tx: Tx, due: DueQuery): Promise<AttemptRow[]> {
  const open = tx.selectFrom('payment_attempts').selectAll().where('status', 'in', openStatuses)
  return takeDueForPolling(open, due, ({ id }, poll) =>
    tx.updateTable('payment_attempts').set(poll).where('id', '=', id),
  )
}

/** Returns whether the renewal job, and not the customer, made an attempt. */
export function isRenewalAttempt({ initiator }: AttemptRow): boolean {
  return initiator === 'merchant'
}
