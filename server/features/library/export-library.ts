import type { Db } from '#server/tables.ts'
import {
  selectEntitlementsAfter,
  selectFavoritesAfter,
  selectHistoryAfter,
  selectPlaysAfter,
  selectUnlocksAfter,
} from './moment-queries.ts'
import { selectViewingsAfter } from './viewing-queries.ts'

const pageSize = 1000

/** Reads a list to its end, a page at a time; each page goes on after the key of the last row before it. */
async function readAll<Row, Key>(
  first: Key,
  read: (after: Key, limit: number) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let after = first; ;) {
    const page = await read(after, pageSize)
    rows.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return rows
    after = keyOf(last)
  }
}

/** All that is kept of a person here, as it stands; times become RFC 3339 in JSON. */
export async function exportLibrary(db: Db, userId: string): Promise<Record<string, unknown>> {
  const byVideo = <Row extends { video_id: string }>(
    select: (db: Db, userId: string, after: string, limit: number) => Promise<Row[]>,
  ) =>
    readAll(
      '',
      (after, limit) => select(db, userId, after, limit),
      (row) => row.video_id,
    )
  return {
    history: await byVideo(selectHistoryAfter),
    favorites: await byVideo(selectFavoritesAfter),
    unlocked_by_subscription: await byVideo(selectUnlocksAfter),
    entitlements: await readAll(
      '',
      (after, limit) => selectEntitlementsAfter(db, userId, after, limit),
      (row) => row.id,
    ),
    viewings: await readAll(
      '',
      (after, limit) => selectViewingsAfter(db, userId, after, limit),
      (row) => row.episode_id,
    ),
    recent_plays: await readAll(
      { episode_id: '', half_hour: new Date(0) },
      (after, limit) => selectPlaysAfter(db, userId, after, limit),
      (row) => row,
    ),
  }
}
