import { textInLanguage, type Language } from '#contract/languages.ts'
import type { FailedUpload } from '#contract/studio/system.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import { readPage } from '#server/platform/read-page.ts'
import type { Db } from '#server/tables.ts'
import { localizeReason } from './ingest/files/unusable-file.ts'
import { selectFailedFiles } from './queries.ts'

const pageLimits = { default: 20, max: 50 }

/**
 * Lists the failed files that are the next asset of an episode, latest failure first.
 * @throws Fault invalidCursor
 */
export async function listFailedFiles(
  db: Db,
  { cursor, limit }: { cursor?: string; limit?: number },
  language: Language,
): Promise<{ list: FailedUpload[]; next_cursor: string | null }> {
  const { page, next_cursor } = await readPage(
    'failed files',
    { cursor, size: choosePageSize(limit, pageLimits) },
    (after, limit) => selectFailedFiles(db, after, limit),
    (row) => [row.failed_at, row.id],
  )
  return {
    list: page.map(({ id, source_name, reason, reason_details, failed_at, titles, ...episode }) => ({
      id,
      source_name,
      reason: localizeReason(language, { reason, reason_details }) ?? '',
      failed_at: failed_at.toISOString(),
      episode: {
        id: episode.episode_id,
        number: episode.number,
        video_id: episode.video_id,
        video_title: textInLanguage(titles, language),
      },
    })),
    next_cursor,
  }
}
