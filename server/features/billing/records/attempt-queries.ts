import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import { lookUp, type Slots } from '#server/platform/database/prepared.ts'
import type { Db, Tx } from '#server/tables.ts'
import { attemptStates, openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import { takeDueForPolling, type Due } from './polling-queries.ts'
import { checkMoved } from '#server/features/billing/states/state-machine.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type AttemptRow = Selectable<tables.AttemptsTable>

export function insertAttempt(tx: Tx, attempt: Insertable<tables.AttemptsTable>): Promise<AttemptRow> {
  return tx.insertInto('attempts').values(attempt).returningAll().executeTakeFirstOrThrow()
}

/** The gateway's name for a payment of which we only knew our own. */
export async function setReference(tx: Tx, attemptId: string, reference: string): Promise<void> {
  await tx
    .updateTable('attempts')
    .set({ reference })
    .where('id', '=', attemptId)
    .where('reference', 'is', null)
    .execute()
}

/** The state of the dispute of an attempt's payment, what is gone for it, and what the gateway says of it. */
export async function setDispute(
  tx: Tx,
  attemptId: string,
  dispute: Pick<AttemptRow, 'dispute' | 'disputed_cents'> & Updateable<tables.AttemptsTable>,
): Promise<void> {
  await tx.updateTable('attempts').set(dispute).where('id', '=', attemptId).execute()
}

/** What the person has to do now for a payment that waits for them. */
export async function setNextStep(tx: Tx, attemptId: string, nextStep: string | null): Promise<void> {
  await tx.updateTable('attempts').set({ next_step: nextStep }).where('id', '=', attemptId).execute()
}

/** Moves the next look at an attempt forward, where it is later than that. */
export async function lookBy(db: Db, attemptId: string, at: Date): Promise<void> {
  const update = db.updateTable('attempts').set({ check_at: at }).where('id', '=', attemptId)
  await update.where('check_at', '>', at).execute()
}

/** Has a payment that its gateway is still processing looked at again, where that was the last look. */
export async function lookAgainAt(db: Db, attemptId: string, at: Date): Promise<void> {
  const update = db.updateTable('attempts').set({ check_at: at }).where('id', '=', attemptId)
  await update.where('status', '=', 'processing').where('check_at', '<', at).execute()
}

export function selectAttempt(db: Db, id: string) {
  return db.selectFrom('attempts').selectAll().where('id', '=', id).executeTakeFirst()
}

export function selectAttemptByReference(db: Db, gateway: GatewayId, reference: string) {
  return db
    .selectFrom('attempts')
    .selectAll()
    .where('gateway', '=', gateway)
    .where('reference', '=', reference)
    .executeTakeFirst()
}

const attemptsOf = lookUp((db: Db, { orderIds }: Slots<{ orderIds: readonly string[] }>) =>
  db
    .selectFrom('attempts')
    .selectAll()
    .where(sql<boolean>`order_id = ANY(${orderIds})`)
    .orderBy('number', 'desc'),
)

/** The attempts of these orders, the latest first. */
export function selectAttempts(db: Db, orderIds: readonly string[]) {
  return orderIds.length === 0 ? Promise.resolve([]) : attemptsOf(db, { orderIds })
}

/** @throws IllegalMove where the attempt is in no state that leads to `to` */
export async function moveAttempt(
  tx: Tx,
  id: string,
  to: tables.AttemptStatus,
  change: Updateable<tables.AttemptsTable> = {},
): Promise<void> {
  const update = tx
    .updateTable('attempts')
    .set({ ...change, status: to })
    .where('id', '=', id)
    .where('status', 'in', attemptStates.from(to))
  checkMoved(await update.executeTakeFirstOrThrow(), `attempt ${id} to ${to}`)
}

/** Written out, as the index of such attempts has them. */
const openStatuses = openAttemptStatuses.map((status) => sql.lit(status))

/** Takes the open attempts whose time has come. */
export function takeDueAttempts(tx: Tx, due: Due): Promise<AttemptRow[]> {
  const open = tx.selectFrom('attempts').selectAll().where('status', 'in', openStatuses)
  return takeDueForPolling(open, due, ({ id }, look) =>
    tx.updateTable('attempts').set(look).where('id', '=', id),
  )
}

/** Whether the renewal job made an attempt, not the customer. */
export function isRenewalAttempt({ initiator }: AttemptRow): boolean {
  return initiator === 'merchant'
}
