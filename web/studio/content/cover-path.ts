import type { Language } from '#contract/languages.ts'
import { coverPath, languageCoverPath } from '#contract/studio/uploads.ts'

/** Returns the upload path of a video's cover for a language or, without `language`, of its default cover. */
export function coverPathOf(videoId: string, language?: Language): string {
  const path = language ? languageCoverPath.replace(':language', language) : coverPath
  return path.replace(':id', videoId)
}
