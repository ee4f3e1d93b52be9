import type { Pool } from 'pg'
import { waitForLock } from './wait-for-lock.ts'

interface ContendedRow {
  table: string
  id: string
  /** A column that belongs to no key. */
  column: string
}

/**
 * Runs `work` while three other transactions use the same row. One locks the row as foreign key checks do, one has
 * changed it, and one waits behind `work` to lock it. Work that locks and changes the row in a single statement ends in
 * a deadlock.
 */
export async function contendForRow(
  pool: Pool,
  { table, id, column }: ContendedRow,
  work: () => Promise<unknown>,
): Promise<void> {
  const clients = [await pool.connect(), await pool.connect(), await pool.connect()] as const
  const [reference, former, next] = clients
  try {
    for (const client of clients) await client.query('BEGIN')
    await reference.query(`SELECT FROM ${table} WHERE id = $1 FOR KEY SHARE`, [id])
    await former.query(`UPDATE ${table} SET ${column} = ${column} WHERE id = $1`, [id])
    const working = work()
    await waitForLock(pool)
    const locking = next.query(`SELECT FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`, [id])
    await waitForLock(pool, 2)
    await former.query('COMMIT')
    await Promise.all([working, locking])
  } finally {
    for (const client of clients) client.release(true)
  }
}
