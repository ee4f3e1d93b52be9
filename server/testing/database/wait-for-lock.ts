import type { Pool } from 'pg'

/** Resolves when `waiters` connections wait for a lock in the test's database. */
export async function waitForLock(pool: Pool, waiters = 1): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    if (Number(rowCount) >= waiters) return
  }
}
