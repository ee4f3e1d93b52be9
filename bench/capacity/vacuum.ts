import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'

/** If no table is vacuumed for this time, none is due: PostgreSQL's autovacuum starts once a minute. */
const quietSeconds = 75
const pollMs = 5000
const longestMs = 600_000

/**
 * Vacuums and analyses all tables after an import. Then waits until no table has been vacuumed or analysed for
 * `quietSeconds`. Otherwise, this work would be measured as load of the idle site.
 * @throws Error after ten minutes
 */
export async function waitForVacuum(pool: Pool): Promise<void> {
  // The second statement vacuums the statistics that the first one has written.
  for (const statement of ['VACUUM (ANALYZE)', 'VACUUM']) await pool.query(statement)
  for (const deadline = Date.now() + longestMs; ; await delay(pollMs)) {
    const { rows } = await pool.query<{ relname: string }>(
      `SELECT relname FROM pg_stat_all_tables
       WHERE greatest(last_vacuum, last_autovacuum, last_analyze, last_autoanalyze) > now() - make_interval(secs => $1)`,
      [quietSeconds],
    )
    if (rows.length === 0) return
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL still vacuums ${rows.map(({ relname }) => relname).join(', ')}`)
  }
}

/**
 * Keeps PostgreSQL's autovacuum from starting, so that its cost can be measured separately (`vacuumAsPostgres`). Sends
 * SIGHUP only to the autovacuum's launcher, which then reads its settings again. PostgreSQL's main process must not get
 * SIGHUP, because the site would then stop (`watchForStopSignals`).
 */
export async function holdVacuum(pool: Pool): Promise<void> {
  await pool.query("ALTER SYSTEM SET autovacuum_naptime = '1d'")
  const { rows } = await pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'autovacuum launcher'",
  )
  for (const { pid } of rows) process.kill(pid, 'SIGHUP')
}

/** Vacuums and analyses the tables that exceed the default thresholds of PostgreSQL's autovacuum. */
export async function vacuumAsPostgres(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ tables: string | null }>(
    `SELECT string_agg(relid::regclass::text, ', ') AS tables
     FROM pg_stat_user_tables JOIN pg_class ON oid = relid, greatest(reltuples, 0) AS live_rows
     WHERE relkind = 'r' AND (n_dead_tup > 50 + 0.2 * live_rows OR n_mod_since_analyze > 50 + 0.1 * live_rows
       OR n_ins_since_vacuum > 1000 + 0.2 * live_rows)`,
  )
  const tables = rows[0]?.tables
  if (tables) await pool.query(`VACUUM (ANALYZE) ${tables}`)
}
