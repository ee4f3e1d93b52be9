import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { PagePosition } from '#server/platform/database/prepared-page.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { RunningExperiment } from './assign-variant.ts'
import type { ExperimentsTable, ExperimentExposuresTable } from './tables.ts'

export type ExperimentRow = Selectable<ExperimentsTable>

/** Selects the running experiments. There are few, so all are read (index `experiments_running`). */
export function selectRunning(db: Db): Promise<RunningExperiment[]> {
  return db
    .selectFrom('experiments')
    .select(['id', 'kind', 'target', 'currency', 'variants'])
    .where(sql<boolean>`state = 'running'`)
    .execute()
}

/** Selects a page of experiments, newest first (index `experiments_newest`). */
export function selectExperiments(
  db: Db,
  after: PagePosition | undefined,
  limit: number,
): Promise<ExperimentRow[]> {
  return db
    .selectFrom('experiments')
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) < (${after?.at}::timestamptz, ${after?.id})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export function selectExperiment(db: Db, id: string): Promise<ExperimentRow | undefined> {
  return db.selectFrom('experiments').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Selects an experiment and locks it for the transaction. */
export function lockExperiment(tx: Tx, id: string): Promise<ExperimentRow | undefined> {
  return tx.selectFrom('experiments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertExperiment(tx: Tx, row: Insertable<ExperimentsTable>): Promise<ExperimentRow> {
  return tx.insertInto('experiments').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateExperiment(
  tx: Tx,
  id: string,
  change: Updateable<ExperimentsTable>,
): Promise<ExperimentRow> {
  return tx
    .updateTable('experiments')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Returns whether another experiment of the same kind on the same target is running. Takes a lock that lasts until the
 * end of the transaction, so that experiments are started one at a time.
 */
export async function isTargetInUse(tx: Tx, { kind, target }: ExperimentRow): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('experiments', 0))`.execute(tx)
  const row = await tx
    .selectFrom('experiments')
    .select('id')
    .where(sql<boolean>`state = 'running'`)
    .where('kind', '=', kind)
    .where(sql`coalesce(target, '')`, '=', target ?? '')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns whether a guest was registered, merged or deleted. An old token of the guest may still say that no row
 * exists.
 */
export async function isFormerGuest(db: Db, viewerId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', viewerId)
    .where(sql<boolean>`(member_since IS NOT NULL OR merged_into IS NOT NULL OR deleted_at IS NOT NULL)`)
    .executeTakeFirst()
  return row !== undefined
}

/** Inserts exposures. If the viewer was already exposed to an experiment, the earlier exposure remains. */
export async function insertExposures(db: Db, rows: Insertable<ExperimentExposuresTable>[]): Promise<void> {
  await db
    .insertInto('experiment_exposures')
    // Inserts in a fixed order, so that two concurrent calls of one viewer cannot deadlock.
    .values(rows.toSorted((a, b) => (a.experiment_id < b.experiment_id ? -1 : 1)))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Moves a guest's exposures to a member. If both were exposed to an experiment, the earlier exposure remains. */
export async function moveExposures(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await sql`
    WITH met AS (DELETE FROM experiment_exposures WHERE viewer_id = ${guestId} RETURNING experiment_id, variant, at)
    INSERT INTO experiment_exposures (viewer_id, experiment_id, variant, at)
    SELECT ${memberId}, experiment_id, variant, at FROM met ORDER BY experiment_id
    ON CONFLICT (viewer_id, experiment_id) DO UPDATE SET variant = excluded.variant, at = excluded.at
      WHERE excluded.at < experiment_exposures.at`.execute(tx)
}

export async function deleteExposures(tx: Tx, viewerId: string): Promise<void> {
  await tx.deleteFrom('experiment_exposures').where('viewer_id', '=', viewerId).execute()
}

export function selectExposuresOf(db: Db, viewerId: string) {
  return db
    .selectFrom('experiment_exposures')
    .innerJoin('experiments', 'experiments.id', 'experiment_exposures.experiment_id')
    .select(['experiments.name as experiment', 'experiment_exposures.variant', 'experiment_exposures.at'])
    .where('viewer_id', '=', viewerId)
    .orderBy('experiment_exposures.at')
    .execute()
}
