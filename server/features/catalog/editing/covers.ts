import type { Language } from '#contract/languages.ts'
import type { Db } from '#server/tables.ts'
import * as queries from './publish-queries.ts'

export interface CoverFile {
  /** Key in the storage. */
  path: string
  /** Dark shade of the cover's dominant colour, such as #2a211c. */
  color: string
}

/** Sets a video's cover. `onlyIfMissing` keeps an existing cover, unless it is a blurred still. */
export async function setCover(
  db: Db,
  videoId: string,
  cover: CoverFile,
  { onlyIfMissing = false } = {},
): Promise<void> {
  await queries.updateCover(db, videoId, cover, { onlyIfMissing })
}

/** Sets the cover that viewers of one language see instead of the default cover. Null removes it. */
export async function setLanguageCover(
  db: Db,
  videoId: string,
  language: Language,
  cover: CoverFile | null,
): Promise<void> {
  await queries.updateLanguageCover(db, videoId, language, cover && { path: cover.path, color: cover.color })
}

/** Returns whether a video has a regular cover, a placeholder (a blurred still of a locked episode), or none. */
export async function loadCoverKind(db: Db, videoId: string): Promise<'regular' | 'placeholder' | 'none'> {
  const path = (await queries.selectVideoCover(db, videoId))?.cover_path ?? null
  if (path === null) return 'none'
  return path.startsWith(queries.placeholderCoverPrefix) ? 'placeholder' : 'regular'
}
