import { sql } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db } from '#server/tables.ts'
import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'

export async function selectReconciledTo(db: Db, gateway: GatewayId): Promise<Date | undefined> {
  const row = await db
    .selectFrom('reconciliations')
    .select('reconciled_to')
    .where('gateway', '=', gateway)
    .executeTakeFirst()
  return row?.reconciled_to
}

/** When a gateway was last compared: from when on it was read, and when that was finished. */
export async function selectComparison(
  db: Db,
  gateway: GatewayId,
): Promise<{ reconciled_to: Date; compared_at: Date | null } | undefined> {
  return db
    .selectFrom('reconciliations')
    .select(['reconciled_to', 'compared_at'])
    .where('gateway', '=', gateway)
    .executeTakeFirst()
}

/** Never goes back: of two processes the one that looked later counts. */
export async function setReconciledTo(
  db: Db,
  gateway: GatewayId,
  { from, finished }: { from: Date; finished: Date },
): Promise<void> {
  await db
    .insertInto('reconciliations')
    .values({ gateway, reconciled_to: from, compared_at: finished })
    .onConflict((conflict) =>
      conflict.column('gateway').doUpdateSet({
        reconciled_to: sql`greatest(reconciliations.reconciled_to, excluded.reconciled_to)`,
        compared_at: sql`greatest(reconciliations.compared_at, excluded.compared_at)`,
      }),
    )
    .execute()
}

/** Keeps a payment that could not be brought into line, from when it was found so first, as the gateway has it now. */
export async function putToCompare(
  db: Db,
  row: {
    gateway: GatewayId
    reference: string
    attempt_id: string | null
    gateway_cents: number | null
    currency: string | null
    found_at: Date
  },
): Promise<void> {
  const { attempt_id, gateway_cents, currency } = row
  await db
    .insertInto('payments_to_compare')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['gateway', 'reference'])
        .doUpdateSet({ attempt_id, gateway_cents, currency, abandoned: false }),
    )
    .execute()
}

/** It is looked up no more, and shown to operators until it is settled. */
export async function giveUpToCompare(db: Db, gateway: GatewayId, reference: string): Promise<void> {
  const rows = db.updateTable('payments_to_compare').set({ abandoned: true })
  await rows.where('gateway', '=', gateway).where('reference', '=', reference).execute()
}

export function selectToCompare(db: Db, gateway: GatewayId) {
  const rows = db.selectFrom('payments_to_compare').select(['reference', 'found_at'])
  return rows
    .where('gateway', '=', gateway)
    .where('abandoned', '=', false)
    .orderBy('found_at')
    .orderBy('reference')
    .execute()
}

export async function deleteToCompare(db: Db, gateway: GatewayId, reference: string): Promise<void> {
  const rows = db.deleteFrom('payments_to_compare').where('gateway', '=', gateway)
  await rows.where('reference', '=', reference).execute()
}

/** Those of a gateway's payments whose money is in our books already. */
export async function selectSucceeded(
  db: Db,
  gateway: GatewayId,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('attempts')
    .select('reference')
    .where('gateway', '=', gateway)
    .where(sql<boolean>`reference = ANY(${references})`)
    .where('status', '=', 'succeeded')
    .execute()
  return new Set(rows.flatMap(({ reference }) => reference ?? []))
}

const refundedCents = sql<number>`(
  SELECT coalesce(sum(amount_cents), 0)::int FROM refunds
  WHERE refunds.attempt_id = attempts.id AND refunds.status = 'succeeded')`

const isBooked = sql<boolean>`EXISTS (SELECT FROM ledger_lines WHERE transaction_id = 'charge:' || attempts.id)`

/** An attempt with what we know to have gone back of its payment, and whether the payment is in our books as received. */
export type ComparedRow = AttemptRow & { refunded_cents: number; booked: boolean }

/** The attempts of a gateway that have one of these ids, or one of these names of its own. */
export function selectAttemptsToCompare(
  db: Db,
  gateway: GatewayId,
  ids: readonly string[],
  references: readonly string[],
): Promise<ComparedRow[]> {
  const known = db
    .selectFrom('attempts')
    .selectAll()
    .select([refundedCents.as('refunded_cents'), isBooked.as('booked')])
    .where('gateway', '=', gateway)
  return known
    .where(sql<boolean>`id = ANY(${ids})`)
    .union(known.where(sql<boolean>`reference = ANY(${references})`))
    .execute()
}

/** The payments of a gateway with a dispute that a bank has yet to decide on, or a refund that has not ended. */
export async function selectUndecided(db: Db, gateway: GatewayId): Promise<string[]> {
  const attempts = db.selectFrom('attempts').select('id').where('gateway', '=', gateway)
  const rows = await attempts
    .where('dispute', '=', sql.lit('open'))
    .union(attempts.where('refund_pending', '=', sql.lit(true)))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Notes whether a refund of a payment is still on its way. */
export async function setRefundPending(db: Db, attemptId: string, pending: boolean): Promise<void> {
  const update = db.updateTable('attempts').set({ refund_pending: pending }).where('id', '=', attemptId)
  await update.where('refund_pending', '<>', pending).execute()
}
