import { sql } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db } from '#server/tables.ts'
import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'

export async function selectReconciledTo(db: Db, gateway: GatewayId): Promise<Date | undefined> {
  const row = await db
    .selectFrom('reconciliations')
    .select('reconciled_until')
    .where('gateway', '=', gateway)
    .executeTakeFirst()
  return row?.reconciled_until
}

/** Returns the time up to which a gateway's payments have been compared, and the end of the last comparison. */
export async function selectComparison(
  db: Db,
  gateway: GatewayId,
): Promise<{ reconciled_until: Date; last_run_at: Date | null } | undefined> {
  return db
    .selectFrom('reconciliations')
    .select(['reconciled_until', 'last_run_at'])
    .where('gateway', '=', gateway)
    .executeTakeFirst()
}

/**
 * Stores the time up to which payments have been compared (the start of the run), and the end of the run. Neither time
 * ever decreases: after concurrent runs, the later times are stored.
 */
export async function setReconciledUntil(
  db: Db,
  gateway: GatewayId,
  { from, finished }: { from: Date; finished: Date },
): Promise<void> {
  await db
    .insertInto('reconciliations')
    .values({ gateway, reconciled_until: from, last_run_at: finished })
    .onConflict((conflict) =>
      conflict.column('gateway').doUpdateSet({
        reconciled_until: sql`greatest(reconciliations.reconciled_until, excluded.reconciled_until)`,
        last_run_at: sql`greatest(reconciliations.last_run_at, excluded.last_run_at)`,
      }),
    )
    .execute()
}

/**
 * Stores a discrepancy. If it already exists, keeps `detected_at`, updates the amount, and marks it as not abandoned.
 */
export async function upsertDiscrepancy(
  db: Db,
  row: {
    gateway: GatewayId
    reference: string
    attempt_id: string | null
    gateway_cents: number | null
    currency: string | null
    detected_at: Date
  },
): Promise<void> {
  const { attempt_id, gateway_cents, currency } = row
  await db
    .insertInto('payment_discrepancies')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['gateway', 'reference'])
        .doUpdateSet({ attempt_id, gateway_cents, currency, abandoned: false }),
    )
    .execute()
}

/** Stops the retries of a discrepancy. Operators see it until it is settled. */
export async function abandonDiscrepancy(db: Db, gateway: GatewayId, reference: string): Promise<void> {
  const rows = db.updateTable('payment_discrepancies').set({ abandoned: true })
  await rows.where('gateway', '=', gateway).where('reference', '=', reference).execute()
}

export function selectOpenDiscrepancies(db: Db, gateway: GatewayId) {
  const rows = db.selectFrom('payment_discrepancies').select(['reference', 'detected_at'])
  return rows
    .where('gateway', '=', gateway)
    .where('abandoned', '=', false)
    .orderBy('detected_at')
    .orderBy('reference')
    .execute()
}

/** Returns those of the given references that have a discrepancy. */
export async function selectDiscrepantReferences(
  db: Db,
  gateway: GatewayId,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('payment_discrepancies')
    .select('reference')
    .where('gateway', '=', gateway)
    .where(sql<boolean>`reference = ANY(${references})`)
    .execute()
  return new Set(rows.map(({ reference }) => reference))
}

export async function deleteDiscrepancy(db: Db, gateway: GatewayId, reference: string): Promise<void> {
  const rows = db.deleteFrom('payment_discrepancies').where('gateway', '=', gateway)
  await rows.where('reference', '=', reference).execute()
}

/** Returns those of the given references whose payments succeeded according to our records. */
export async function selectSucceededReferences(
  db: Db,
  gateway: GatewayId,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('payment_attempts')
    .select('reference')
    .where('gateway', '=', gateway)
    .where(sql<boolean>`reference = ANY(${references})`)
    .where('status', '=', 'succeeded')
    .execute()
  return new Set(rows.flatMap(({ reference }) => reference ?? []))
}

const refundedCents = sql<number>`(
  SELECT coalesce(sum(amount_cents), 0)::int FROM refunds
  WHERE refunds.attempt_id = payment_attempts.id AND refunds.status = 'succeeded')`

const isBooked = sql<boolean>`EXISTS (SELECT FROM ledger_lines WHERE transaction_id = 'charge:' || payment_attempts.id)`

/** An attempt with its refunded amount in our records, and whether its payment is booked in the ledger. */
export type ComparedAttempt = AttemptRow & { refunded_cents: number; booked: boolean }

/** Returns a gateway's attempts with one of these ids or one of these references. */
export function selectAttemptsToCompare(
  db: Db,
  gateway: GatewayId,
  ids: readonly string[],
  references: readonly string[],
): Promise<ComparedAttempt[]> {
  const known = db
    .selectFrom('payment_attempts')
    .selectAll()
    .select([refundedCents.as('refunded_cents'), isBooked.as('booked')])
    .where('gateway', '=', gateway)
  return known
    .where(sql<boolean>`id = ANY(${ids})`)
    .union(known.where(sql<boolean>`reference = ANY(${references})`))
    .execute()
}

/** Returns the ids of a gateway's attempts whose payment has an open dispute or a pending refund. */
export async function selectUnsettledAttemptIds(db: Db, gateway: GatewayId): Promise<string[]> {
  const attempts = db.selectFrom('payment_attempts').select('id').where('gateway', '=', gateway)
  const rows = await attempts
    .where('dispute_status', '=', sql.lit('open'))
    .union(attempts.where('refund_pending', '=', sql.lit(true)))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Sets whether a refund of a payment is still pending. */
export async function setRefundPending(db: Db, attemptId: string, pending: boolean): Promise<void> {
  const update = db
    .updateTable('payment_attempts')
    .set({ refund_pending: pending })
    .where('id', '=', attemptId)
  await update.where('refund_pending', '<>', pending).execute()
}
