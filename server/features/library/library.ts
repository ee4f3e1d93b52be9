import { listLimits } from '#contract/catalog.ts'
import { Fault, Refusal } from '#contract/errors.ts'
import { inLanguage, type Language } from '#contract/languages.ts'
import type { HistoryEntry } from '#contract/library.ts'
import { loadCards } from '#server/features/catalog/catalog.ts'
import { decodeCursor, encodeCursor, pageSize } from '#server/platform/cursor.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './queries.ts'

export * from './entitlements.ts'

const halfHourMs = 30 * 60_000

interface Position {
  video_id?: string
  episode_id?: string
  position_ms?: number
  at?: string
}

/**
 * Keeps where a viewer is. The latest `at` wins (cut to now), so a late or repeated call changes nothing; the first of
 * a half hour counts as a play (product.md, section 3).
 * @returns the entry as it stands now
 * @throws Fault badRequest where a field is missing, Refusal notFound for an episode that is not of this video
 */
export async function savePosition(tx: Tx, userId: string, position: Position, now: Date) {
  const { video_id, episode_id, position_ms, at } = position
  if (video_id === undefined || episode_id === undefined || position_ms === undefined || at === undefined) {
    throw new Fault('badRequest', 'video_id, episode_id, position_ms and at are needed')
  }
  const episode = await queries.selectEpisode(tx, episode_id)
  if (episode?.video_id !== video_id) throw new Refusal('notFound')
  const when = new Date(Math.min(Date.parse(at), now.getTime()))
  const halfHour = new Date(Math.floor(now.getTime() / halfHourMs) * halfHourMs)
  await queries.upsertHistory(tx, { user_id: userId, video_id, episode_id, position_ms, at: when })
  await queries.insertPlay(tx, { user_id: userId, episode_id, video_id, half_hour: halfHour })
  const entry = await queries.selectHistoryEntry(tx, userId, video_id)
  if (!entry) throw new Refusal('notFound')
  return {
    video_id,
    episode_id: entry.episode_id,
    position_ms: entry.position_ms,
    at: entry.at.toISOString(),
  }
}

/** Removes videos from the history. @returns how many were in it */
export async function removeFromHistory(
  tx: Tx,
  userId: string,
  videoIds: readonly string[],
): Promise<{ removed: number }> {
  return { removed: videoIds.length > 0 ? await queries.deleteHistory(tx, userId, videoIds) : 0 }
}

/** Where a viewer left off in a video, or null. */
async function loadResume(db: Db, userId: string, videoId: string) {
  const entry = await queries.selectHistoryEntry(db, userId, videoId)
  if (!entry) return null
  const episode = await queries.selectEpisode(db, entry.episode_id)
  return episode ? { episode_id: episode.id, number: episode.number, position_ms: entry.position_ms } : null
}

/** What a video's page shows of one viewer alone. */
export interface Personal {
  favorite: boolean
  resume: { episode_id: string; number: number; position_ms: number } | null
}

export async function loadPersonal(db: Db, viewer: Viewer | null, videoId: string): Promise<Personal> {
  if (!viewer?.kept) return { favorite: false, resume: null }
  const [favorite, resume] = await Promise.all([
    queries.isFavorite(db, viewer.userId, videoId),
    loadResume(db, viewer.userId, videoId),
  ])
  return { favorite, resume }
}

interface HistoryQuery {
  kind?: 'watched' | 'unlocked'
  cursor?: string
  limit?: number
}

/** One page of what a viewer watched or bought, newest first. @throws Fault badCursor */
export async function listHistory(db: Db, userId: string, query: HistoryQuery, language: Language) {
  const kind = query.kind ?? 'watched'
  const size = pageSize(query.limit, listLimits)
  const position = decodeCursor(kind, query.cursor, 2)
  const after = position && { at: String(position[0]), id: String(position[1]) }
  const rows = await (kind === 'watched' ? loadWatched : loadPurchased)(db, userId, after, size + 1)
  const page = rows.slice(0, size)
  const last = rows.length > size ? page.at(-1) : undefined
  const cards = await loadCards(db, [...new Set(page.map((row) => row.video_id))], language)
  const list = page.flatMap((row): HistoryEntry[] => {
    const video = cards.get(row.video_id)
    if (!video) return []
    const { episode_id: id, number, duration_ms, titles, position_ms, at, source } = row
    const title = titles.en ? inLanguage({ ...titles, en: titles.en }, language) : ''
    return [
      {
        video,
        episode: { id, number, title, duration_ms: duration_ms ?? 0 },
        position_ms,
        at: at.toISOString(),
        source,
      },
    ]
  })
  return { list, next_cursor: last ? encodeCursor(kind, [last.at.toISOString(), last.key]) : null }
}

type After = { at: string; id: string } | undefined

async function loadWatched(db: Db, userId: string, after: After, limit: number) {
  const rows = await queries.selectWatched(db, userId, after, limit)
  return rows.map((row) => ({ ...row, key: row.video_id, source: undefined }))
}

async function loadPurchased(db: Db, userId: string, after: After, limit: number) {
  const rows = await queries.selectPurchased(db, userId, after, limit)
  return rows.map((row) => ({ ...row, key: row.id, at: row.starts_at, position_ms: 0 }))
}

/** Counts the plays that came since, in batches until none is left. */
export async function foldPlays(db: Db): Promise<void> {
  const batch = 5000
  while ((await queries.foldPlayBatch(db, batch)) === batch);
}
