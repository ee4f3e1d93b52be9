import type { Pool } from 'pg'
import type { Costs } from './read-costs.ts'
import type { BenchSite } from '#bench/site/start-bench-site.ts'

/** A site and its database, whose costs are measured. */
export interface Bench {
  site: BenchSite
  pool: Pool
  /** Does some work and returns its costs. `pid` is the process whose CPU counts, by default the site's. */
  measured: (work: () => unknown, pid?: number) => Promise<Costs>
  /** Waits until the site and PostgreSQL have finished the work of earlier steps. */
  settle: () => Promise<void>
}

/**
 * Milliseconds to wait after each step. In this time, PostgreSQL counts the transactions of connections that have
 * become idle. Otherwise some of these transactions would be counted in the next step.
 */
export const countedMs = 11_000

export const heading = [
  'what',
  'transactions',
  'WAL bytes',
  'rows written',
  'growth in bytes',
  'CPU of the site',
  'CPU of PostgreSQL',
]

/** Returns a line of the table: the costs divided by `times`, which is how often the work was done. */
export function lineOf(what: string, costs: Costs, times: number): string[] {
  const { transactions, walBytes, rowsWritten, databaseBytes, siteCpuMs, databaseCpuMs } = costs
  const each = (value: number) => {
    const one = value / times
    return one >= 100 ? String(Math.round(one)) : one.toFixed(one >= 10 ? 1 : 2)
  }
  return [
    what,
    each(transactions),
    each(walBytes),
    each(rowsWritten),
    each(databaseBytes),
    `${each(siteCpuMs)} ms`,
    `${each(databaseCpuMs)} ms`,
  ]
}
