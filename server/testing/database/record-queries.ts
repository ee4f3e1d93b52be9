import pg from 'pg'
import { onTestFinished, vi } from 'vitest'

/**
 * Records the queries on all connections of this process until the test ends.
 * @returns a function that returns the recorded queries that name one of these tables
 */
export function recordQueries(...tables: readonly string[]): () => string[] {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  const named = (text: string) => tables.some((table) => text.includes(`"${table}"`))
  return () => query.mock.calls.map(([query]) => String(Object(query).text)).filter(named)
}
