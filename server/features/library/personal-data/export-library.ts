import { readPages } from '#server/platform/database/read-pages.ts'
import type { Db } from '#server/tables.ts'
import {
  selectEntitlementsAfter,
  selectFavoritesAfter,
  selectHistoryAfter,
  selectPlaysAfter,
  selectUnlocksAfter,
} from './personal-data-queries.ts'
import { selectViewingsAfter } from '#server/features/library/viewing-queries.ts'

/** All that is kept of a person here, in lists that are read page by page; times become RFC 3339 in JSON. */
export async function exportLibrary(db: Db, userId: string): Promise<Record<string, unknown>> {
  const byVideo = <Row extends { video_id: string }>(
    select: (db: Db, userId: string, after: string, limit: number) => Promise<Row[]>,
  ) => readPages<Row>((after, limit) => select(db, userId, after?.video_id ?? '', limit))
  const firstPlay = { episode_id: '', half_hour: new Date(0) }
  return {
    history: byVideo(selectHistoryAfter),
    favorites: byVideo(selectFavoritesAfter),
    unlocked_by_subscription: byVideo(selectUnlocksAfter),
    entitlements: readPages<Awaited<ReturnType<typeof selectEntitlementsAfter>>[number]>((after, limit) =>
      selectEntitlementsAfter(db, userId, after?.id ?? '', limit),
    ),
    viewings: readPages<Awaited<ReturnType<typeof selectViewingsAfter>>[number]>((after, limit) =>
      selectViewingsAfter(db, userId, after?.episode_id ?? '', limit),
    ),
    recent_plays: readPages<Awaited<ReturnType<typeof selectPlaysAfter>>[number]>((after, limit) =>
      selectPlaysAfter(db, userId, after ?? firstPlay, limit),
    ),
  }
}
