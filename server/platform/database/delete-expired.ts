import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'

interface ExpiredRows {
  table: string
  /** A column with an index. Rows with an earlier time than `before` are deleted. */
  time: string
  before: Date
  /** An additional condition for the rows. */
  condition?: RawBuilder<unknown>
}

export interface PurgeOptions {
  signal?: AbortSignal | undefined
  /** Maximum number of rows that a statement deletes, so that it ends before its time-out. */
  batchSize?: number
}

/**
 * Deletes expired rows in batches, the oldest first, until none is left. Skips rows that another transaction has locked;
 * the next call deletes them.
 */
export async function deleteExpired(
  db: QueryExecutorProvider,
  { table, time, before, condition = sql`true` }: ExpiredRows,
  { signal, batchSize = 5000 }: PurgeOptions = {},
): Promise<void> {
  // A `ctid` is the address of a row, which cannot change while the row is locked.
  const batch = sql`
    DELETE FROM ${sql.table(table)} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${sql.table(table)} WHERE ${sql.ref(time)} < ${before} AND ${condition}
      ORDER BY ${sql.ref(time)} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
    ))`
  let deletedCount = batchSize
  while (deletedCount === batchSize && !signal?.aborted)
    deletedCount = Number((await batch.execute(db)).numAffectedRows)
}
