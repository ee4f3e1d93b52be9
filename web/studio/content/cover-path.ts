import type { Language } from '#contract/languages.ts'
import { coverPath, languageCoverPath } from '#contract/studio/uploads.ts'

/** Returns the upload path for a video's cover: of the default cover, or of a language's cover. */
export function coverPathOf(videoId: string, language?: Language): string {
  const path = language ? languageCoverPath.replace(':language', language) : coverPath
  return path.replace(':id', videoId)
}
