import { sql } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db } from '#server/tables.ts'
import type { AttemptRow } from './attempt-queries.ts'

export async function selectReconciledTo(db: Db, gateway: GatewayId): Promise<Date | undefined> {
  const row = await db
    .selectFrom('reconciliations')
    .select('reconciled_to')
    .where('gateway', '=', gateway)
    .executeTakeFirst()
  return row?.reconciled_to
}

/** Never goes back: of two processes the one that looked later counts. */
export async function setReconciledTo(db: Db, gateway: GatewayId, to: Date): Promise<void> {
  await db
    .insertInto('reconciliations')
    .values({ gateway, reconciled_to: to })
    .onConflict((conflict) =>
      conflict
        .column('gateway')
        .doUpdateSet({ reconciled_to: sql`greatest(reconciliations.reconciled_to, excluded.reconciled_to)` }),
    )
    .execute()
}

/** The attempts of a gateway that have one of these ids, or one of these names of its own. */
export function selectAttemptsToCompare(
  db: Db,
  gateway: GatewayId,
  ids: readonly string[],
  references: readonly string[],
): Promise<AttemptRow[]> {
  const known = db.selectFrom('attempts').selectAll().where('gateway', '=', gateway)
  return known
    .where(sql<boolean>`id = ANY(${ids})`)
    .union(known.where(sql<boolean>`reference = ANY(${references})`))
    .execute()
}
