import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sqlText, withDuckDb } from '#server/platform/duckdb.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { ownWorkFolder } from '#server/platform/storage/work-folder.ts'

const archiveFolder = 'archive/events'

/** Returns the key of a day's file. Readers of Parquet understand a folder named `day=…` as a column. */
export const keyOfDay = (day: string) => `${archiveFolder}/day=${day}/events.parquet`

/** Returns the archived days, such as 2026-11-22, in order. */
export async function listArchivedDays(storage: Storage): Promise<string[]> {
  const days: string[] = []
  for await (const { key } of storage.list(archiveFolder)) {
    const [, day] = /\/day=(\d{4}-\d\d-\d\d)\/events\.parquet$/.exec(key) ?? []
    if (day !== undefined) days.push(day)
  }
  return days.toSorted()
}

/**
 * Returns the path of a day's file, or of a copy in `folder`.
 * @throws Error (ENOENT) if there is no such file
 */
export async function getDayPath(
  storage: Storage,
  day: string,
  folder: string,
  signal?: AbortSignal,
): Promise<string> {
  // Each day needs a separate folder, because the files of all days have the same name.
  const ofDay = join(folder, `day=${day}`)
  await mkdir(ofDay, { recursive: true })
  return storage.getLocalPath(keyOfDay(day), ofDay, signal)
}

/** Runs `work` with an empty folder, which is deleted afterwards. */
export async function withWorkFolder<Result>(
  storage: Storage,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(ownWorkFolder(storage), 'archive-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Archiving runs at the same time as other jobs of the worker, so its memory and threads are limited. */
const archiveLimits = { memoryMb: 256, threads: 1 }
/**
 * Columns of the file. The database's column `at` is named `time` here, because `at` is a reserved word in DuckDB and
 * BigQuery.
 */
const eventColumns = "{time: 'TIMESTAMPTZ', name: 'VARCHAR', fields: 'VARCHAR'}"

/** Converts lines of JSON, compressed by gzip, to a Parquet file. */
export async function writeParquet(lines: string, parquet: string, folder: string): Promise<void> {
  const source = `read_ndjson(${sqlText(lines)}, columns = ${eventColumns}, compression = 'gzip')`
  await withDuckDb({ ...archiveLimits, folder }, (duckdb) =>
    duckdb.run(`COPY (FROM ${source}) TO ${sqlText(parquet)} (FORMAT parquet, COMPRESSION zstd)`),
  )
}

export function countParquetRows(parquet: string, folder: string): Promise<number> {
  return withDuckDb({ ...archiveLimits, folder }, async (duckdb) => {
    const result = await duckdb.runAndReadAll(
      `SELECT count(*)::INTEGER FROM read_parquet(${sqlText(parquet)})`,
    )
    return Number(result.getRows()[0]?.[0])
  })
}
