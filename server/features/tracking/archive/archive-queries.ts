import { sql } from 'kysely'
import { readPages } from '#server/platform/database/read-pages.ts'
import type { DaySpan } from '#server/platform/utc-days.ts'
import type { EventRow } from '#server/features/tracking/event-queries.ts'
import type { Db } from '#server/tables.ts'

/**
 * Returns, in order, the days that have events, are before the time `before`, and are not in `archived`. A day has the
 * form 2026-11-22.
 */
export async function selectUnarchivedDays(
  db: Db,
  before: Date,
  archived: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    SELECT to_char(day, 'YYYY-MM-DD') AS day
    FROM (SELECT min(at) AT TIME ZONE 'UTC' AS first FROM events) AS oldest,
      generate_series(date_trunc('day', first), ${before}::timestamptz AT TIME ZONE 'UTC' - interval '1 day', '1 day')
        AS day
    WHERE to_char(day, 'YYYY-MM-DD') <> ALL (${archived}::text[]) AND EXISTS (
      SELECT FROM events WHERE at >= day AT TIME ZONE 'UTC' AND at < (day + interval '1 day') AT TIME ZONE 'UTC')
    ORDER BY day`.execute(db)
  return rows.map(({ day }) => day)
}

/** Number of events per page. A page takes little memory, and a busy day has millions of events. */
const pageSize = 5000

/** Reads the events of a span of time in order, page by page. */
export function readEvents(db: Db, { from, to }: DaySpan) {
  type Row = Pick<EventRow, 'at' | 'id' | 'name' | 'fields'>
  return readPages<Row>(
    (last) =>
      db
        .selectFrom('events')
        .select(['at', 'id', 'name', 'fields'])
        // Each page starts at its own lower bound, so that the index is not read from the start of the span again.
        .where('at', '>=', last?.at ?? from)
        .where('at', '<', to)
        .$if(last !== undefined, (rest) => rest.where(sql<boolean>`(at, id) > (${last?.at}, ${last?.id})`))
        .orderBy('at')
        .orderBy('id')
        .limit(pageSize)
        .execute(),
    pageSize,
  )
}

/** Returns the number of events in a span of time. */
export async function countEvents(db: Db, { from, to }: DaySpan): Promise<number> {
  const counted = db.selectFrom('events').select(({ fn }) => fn.countAll<number>().as('rows'))
  const { rows } = await counted.where('at', '>=', from).where('at', '<', to).executeTakeFirstOrThrow()
  return rows
}
