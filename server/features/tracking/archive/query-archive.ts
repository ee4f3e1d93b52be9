import { availableParallelism } from 'node:os'
import type { DuckDBConnection } from '@duckdb/node-api'
import { ConfigError } from '#server/platform/config/config-error.ts'
import {
  isDuckDbInstalled,
  missingDuckDbText,
  runSelect,
  sqlText,
  withDuckDb,
  type ResultRow,
} from '#server/platform/duckdb.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { getDayPath, listArchivedDays, withWorkFolder } from './archive-files.ts'

export interface ArchiveQuery {
  sql: string
  /** The first and the last day to read, such as 2026-11-22; all days by default. */
  from?: string | undefined
  to?: string | undefined
}

const maxRows = 100_000
const memoryMb = 1024
const maxSpillMb = 4096
const timeoutMs = 10 * 60_000

/**
 * Runs a SELECT on the archived events, which are the view `events`. The query cannot read other files, and cannot
 * write files.
 * @throws ConfigError with the reason if the query is refused or fails
 */
export async function queryArchive(
  storage: Storage,
  { sql, from = '', to = '9999' }: ArchiveQuery,
  stop: AbortSignal,
): Promise<ResultRow[]> {
  if (!isDuckDbInstalled()) throw new ConfigError(missingDuckDbText)
  const days = (await listArchivedDays(storage)).filter((day) => day >= from && day <= to)
  if (days.length === 0)
    throw new ConfigError(
      'No events of these days are archived. With EVENTS_ARCHIVE=on, the site archives events.',
    )
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  const result = withWorkFolder(storage, async (folder) => {
    const paths: string[] = []
    for (const day of days) paths.push(sqlText(await getDayPath(storage, day, folder, signal)))
    return withDuckDb({ memoryMb, threads: availableParallelism(), folder }, async (duckdb) => {
      const files = `[${paths.join(', ')}]`
      await duckdb.run(`SET max_temp_directory_size = '${maxSpillMb}MB'`)
      await duckdb.run("SET TimeZone = 'UTC'")
      await duckdb.run(`CREATE VIEW events AS FROM read_parquet(${files}, hive_partitioning = true)`)
      await duckdb.run(`SET allowed_paths = ${files}`)
      await duckdb.run('SET enable_external_access = false')
      return interruptible(duckdb, signal, () => runSelect(duckdb, sql, maxRows))
    })
  })
  return result.catch((error: unknown) => {
    if (!(error instanceof Error)) throw error
    const text = stop.aborted ? 'Stopped.' : signal.aborted ? 'Stopped after ten minutes.' : error.message
    throw new ConfigError(text, { cause: error })
  })
}

/**
 * Interval at which the interrupt of a running query is repeated, because DuckDB ignores an interrupt while it parses a
 * query.
 */
const interruptAgainMs = 100

async function interruptible<Result>(
  duckdb: DuckDBConnection,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const timer = setInterval(() => {
    if (signal.aborted) duckdb.interrupt()
  }, interruptAgainMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
