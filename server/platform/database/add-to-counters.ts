import { sql, type Transaction } from 'kysely'

/**
 * Locks rows against other changes in the order of their ids, so that two transactions never wait for each other's
 * rows.
 *
 * The lock must be a separate statement. A statement that both locks and changes a row (`WITH … FOR NO KEY UPDATE`)
 * changes the version that the row had when the statement began. If a foreign key check has locked that version, the
 * change queues behind other transactions. Those wait for the lock that this transaction holds: a deadlock on a single
 * row, whatever the order of locks.
 */
export async function lockRows<Tables>(
  tx: Transaction<Tables>,
  table: keyof Tables & string,
  ids: readonly string[],
): Promise<void> {
  await sql`SELECT FROM ${sql.table(table)} WHERE id = ANY(${ids}::text[]) ORDER BY id FOR NO KEY UPDATE`.execute(
    tx,
  )
}

/** Adds changes to a counter column, by row id. Ids without a row are ignored. */
export async function addToCounters<Tables, Table extends keyof Tables & string>(
  tx: Transaction<Tables>,
  table: Table,
  column: keyof Tables[Table] & string,
  changes: ReadonlyMap<string, number>,
): Promise<void> {
  if (changes.size === 0) return
  const ids = [...changes.keys()]
  await lockRows(tx, table, ids)
  const [id, counter] = [sql.ref(`${table}.id`), sql.ref(`${table}.${column}`)]
  // The ids are passed twice, so that the rows are found by their key instead of by a table scan.
  await sql`
    UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${counter} + given.change
    FROM unnest(${ids}::text[], ${[...changes.values()]}::bigint[]) AS given (id, change)
    WHERE ${id} = given.id AND ${id} = ANY(${ids}::text[])`.execute(tx)
}
