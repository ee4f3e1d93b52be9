import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { dayMs, type Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { formatUtcDay, hoursOf, type DaySpan } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'
import {
  countParquetRows,
  getDayPath,
  keyOfDay,
  listArchivedDays,
  withWorkFolder,
  writeParquet,
} from './archive-files.ts'
import { countEvents, readEvents, selectUnarchivedDays } from './archive-queries.ts'

export interface ArchiveContext {
  db: Db
  storage: Storage
  clock: Clock
  log: Log
}

/**
 * Archives each past day that has no file in the storage yet. Skips yesterday, because processes store events late if
 * the database was unavailable. If a run is interrupted, the next run continues.
 */
export async function archiveEvents(context: ArchiveContext, signal: AbortSignal): Promise<void> {
  const { db, storage, clock } = context
  const today = spanOfDay(formatUtcDay(clock.now())).from
  const before = new Date(today.getTime() - dayMs)
  for (const day of await selectUnarchivedDays(db, before, await listArchivedDays(storage))) {
    if (signal.aborted) return
    await archiveDay(context, day)
  }
}

/**
 * Makes sure that the files of a partition, such as `events_2026_11`, are complete, so that the partition can be
 * dropped. The file of each day must have at least as many events as the table; a file with fewer events is written
 * again. A file may have more, because a user's oldest events are deleted from the table.
 * @throws Error if a rewritten file still has fewer events than the table
 */
export async function archiveMonth(context: ArchiveContext, partition: string): Promise<void> {
  for (const day of daysOfMonth(partition)) {
    const rows = await countEventsOfDay(context.db, day)
    if ((await countArchived(context.storage, day)) >= rows) continue
    await archiveDay(context, day)
    if ((await countArchived(context.storage, day)) < rows)
      throw new Error(`${keyOfDay(day)} lacks events, so the partition ${partition} is not dropped.`)
  }
}

/**
 * Writes the events of a day to a Parquet file, without users and click ids
 * (docs/decisions/0026-an-archive-of-events.md).
 */
async function archiveDay({ db, storage, log }: ArchiveContext, day: string): Promise<void> {
  const rows = await withWorkFolder(storage, async (folder) => {
    const [lines, parquet] = [join(folder, 'events.ndjson.gz'), join(folder, 'events.parquet')]
    let written = 0
    await pipeline(
      async function* () {
        for await (const page of readEvents(db, spanOfDay(day))) {
          written += page.length
          yield page
            .map(({ at: time, name, fields }) => `${JSON.stringify({ time, name, fields })}\n`)
            .join('')
        }
      },
      createGzip({ level: 1 }),
      createWriteStream(lines),
    )
    await writeParquet(lines, parquet, folder)
    if ((await countParquetRows(parquet, folder)) !== written)
      throw new Error(`The Parquet file of ${day} does not have all ${written} events.`)
    // While this process read the day, another process may have archived the day and dropped its partition.
    if ((await countArchived(storage, day)) >= written) return undefined
    await storage.moveFromWorkDir(parquet, keyOfDay(day))
    return written
  })
  if (rows !== undefined) log.info({ day, events: rows }, 'The events of a day are archived')
}

function countArchived(storage: Storage, day: string): Promise<number> {
  return withWorkFolder(storage, async (folder) =>
    (await storage.exists(keyOfDay(day)))
      ? countParquetRows(await getDayPath(storage, day, folder), folder)
      : 0,
  )
}

async function countEventsOfDay(db: Db, day: string): Promise<number> {
  let rows = 0
  for (const hour of hoursOf(spanOfDay(day))) rows += await countEvents(db, hour)
  return rows
}

function spanOfDay(day: string): DaySpan {
  const from = new Date(`${day}T00:00:00Z`)
  return { from, to: new Date(from.getTime() + dayMs) }
}

function daysOfMonth(partition: string): string[] {
  const [, year = NaN, month = NaN] = partition.split('_').map(Number)
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return Array.from({ length: days }, (_, index) =>
    formatUtcDay(new Date(Date.UTC(year, month - 1, index + 1))),
  )
}
