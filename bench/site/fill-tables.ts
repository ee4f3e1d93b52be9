import type { PoolClient } from 'pg'

/** A step that inserts rows of one kind into a bench database. */
export interface Step {
  name: string
  /** Total number of rows, and number of rows per transaction. */
  total: number
  chunk: number
  /** SQL that inserts the rows numbered $1 to $2. */
  sql: string
  /** Additional parameters of the SQL, each with one value per row. */
  texts?: (rows: number) => string[][]
}

export type ProgressReport = (line: string) => void

/** Prepares a connection for filling. Durability is off, because the data can be generated again. */
export async function prepareForFilling(client: PoolClient): Promise<void> {
  await client.query('SET statement_timeout = 0; SET synchronous_commit = off')
  await client.query(
    'CREATE TABLE IF NOT EXISTS bench_progress (step text PRIMARY KEY, done bigint NOT NULL)',
  )
}

/** Returns true if no earlier run has completed a step. */
export async function isStepPending(client: PoolClient, name: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM bench_progress WHERE step = $1', [name])
  return rowCount === 0
}

/** Runs a step in one transaction, unless an earlier run has completed it. */
export async function runStepOnce(
  client: PoolClient,
  name: string,
  work: () => Promise<unknown>,
): Promise<void> {
  if (!(await isStepPending(client, name))) return
  await client.query('BEGIN')
  await work()
  await client.query('INSERT INTO bench_progress VALUES ($1, 1)', [name])
  await client.query('COMMIT')
}

/**
 * Inserts the rows of a step without triggers and foreign keys. Each transaction stores its progress, so that an
 * interrupted run is resumed.
 */
export async function insertRows(
  client: PoolClient,
  { name, total, chunk, sql, texts }: Step,
  report: ProgressReport,
): Promise<void> {
  const { rows } = await client.query<{ done: string }>('SELECT done FROM bench_progress WHERE step = $1', [
    name,
  ])
  const resumedAt = Number(rows[0]?.done ?? 0)
  const started = performance.now()
  let reported = started
  for (let done = resumedAt; done < total;) {
    const upTo = Math.min(done + chunk, total)
    await client.query('BEGIN; SET LOCAL session_replication_role = replica')
    await client.query(sql, [done + 1, upTo, ...(texts?.(upTo - done) ?? [])])
    await client.query(
      'INSERT INTO bench_progress VALUES ($1, $2) ON CONFLICT (step) DO UPDATE SET done = excluded.done',
      [name, upTo],
    )
    await client.query('COMMIT')
    done = upTo
    const now = performance.now()
    if (now - reported > 5000 || done === total) {
      const remainingMs = ((now - started) / (done - resumedAt)) * (total - done)
      report(
        `${name}: ${done} of ${total}${done < total ? `, ${Math.ceil(remainingMs / 1000)} s left` : `, ${Math.round((now - started) / 1000)} s`}`,
      )
      reported = now
    }
  }
}

/** Drops the secondary indexes of these tables, and stores their definitions for `makeIndexes`. */
export async function dropIndexes(client: PoolClient, tables: readonly string[]): Promise<void> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS bench_indexes (tablename text, indexname text, indexdef text)',
  )
  const { rows } = await client.query<{ indexname: string }>(
    `INSERT INTO bench_indexes SELECT tablename, indexname, indexdef FROM pg_indexes
     WHERE schemaname = current_schema() AND tablename = ANY($1)
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname) RETURNING indexname`,
    [tables],
  )
  for (const { indexname } of rows) await client.query(`DROP INDEX ${indexname}`)
}

/** Recreates the indexes that `dropIndexes` has dropped, each in its own transaction, so that a run can be resumed. */
export async function makeIndexes(
  client: PoolClient,
  tables: readonly string[],
  report: ProgressReport,
): Promise<void> {
  await client.query("SET maintenance_work_mem = '1GB'")
  const { rows } = await client.query<{ indexname: string; indexdef: string; exists: boolean }>(
    `SELECT indexname, indexdef, to_regclass(indexname) IS NOT NULL AS exists FROM bench_indexes
     WHERE tablename = ANY($1) ORDER BY indexname`,
    [tables],
  )
  for (const [index, { indexname, indexdef, exists }] of rows.entries()) {
    if (exists) continue
    const started = performance.now()
    await client.query(indexdef)
    const seconds = Math.round((performance.now() - started) / 1000)
    report(`indexes: ${index + 1} of ${rows.length}, ${indexname}, ${seconds} s`)
  }
}
