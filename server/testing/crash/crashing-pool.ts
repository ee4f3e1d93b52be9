import pg from 'pg'
import { columnTypes } from '#server/platform/database/column-types.ts'

/** The point at which a process crashes: before its statement number `at` (`before`), or after sending it (`sent`). */
export interface CrashPoint {
  when: 'never' | 'before' | 'sent'
  at: number
}

/** Never settles, because a crashed process gets no results. */
const never = new Promise<never>(() => {})

/**
 * Opens a connection pool that records its statements and calls `die` at the crash point. After the crash, the pool
 * sends no statement and returns no result.
 */
export function openCrashingPool(
  config: pg.PoolConfig,
  { when, at }: CrashPoint,
  die: () => void,
): { pool: pg.Pool; statements: string[] } {
  const statements: string[] = []
  const pool = new pg.Pool({ types: columnTypes, ...config })
  let dead = false
  const end = () => {
    dead = true
    die()
  }
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
    const countedQuery = (...args: unknown[]) => {
      if (dead) return never
      statements.push(String(args[0]))
      const due = statements.length === at
      if (due && when === 'before') end()
      if (dead) return never
      const answer = query(...args)
      if (due && when === 'sent') process.nextTick(end)
      return answer.then(
        (result) => (dead ? never : result),
        (error: unknown) => (dead ? never : Promise.reject(error)),
      )
    }
    // The cast is safe: Kysely awaits every query and passes no callback.
    client.query = countedQuery as typeof client.query
  })
  return { pool, statements }
}
