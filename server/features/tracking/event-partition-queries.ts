import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Maximum wait for a lock. The creation of a partition does not block reads and writes of events, but waits for other
 * changes to the table's schema.
 */
const lockTimeoutMs = 2000

/** Creates the missing partitions of the months that contain these times. */
export async function insertEventPartitions(tx: Tx, times: readonly Date[]): Promise<void> {
  await sql`SET LOCAL lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx)
  await sql`SELECT create_events_partition(moment) FROM unnest(${times}::timestamptz[]) AS moment`.execute(tx)
}

/**
 * Drops a partition. Fails instead of waiting for a lock, because all reads and writes of events would queue behind a
 * waiting lock.
 * @throws an error with code 55P03 if the partition is in use
 */
export async function dropPartitionUnlessInUse(tx: Tx, partition: string): Promise<void> {
  const month = sql.table(partition)
  await sql`LOCK TABLE ONLY events, ONLY ${month} IN ACCESS EXCLUSIVE MODE NOWAIT`.execute(tx)
  await sql`DROP TABLE ${month}`.execute(tx)
}

/** Returns the partitions whose month ended before a time, in the order of their names, such as `events_2026_11`. */
export async function selectPartitionsBefore(db: Db, before: Date): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'events'::regclass
      AND relname < 'events_' || to_char(${before}::timestamptz AT TIME ZONE 'UTC', 'YYYY_MM')
    ORDER BY relname`.execute(db)
  return rows.map(({ name }) => name)
}
