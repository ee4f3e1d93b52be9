import type { Language } from '#contract/languages.ts'
import { coverPath, languageCoverPath } from '#contract/studio/uploads.ts'

/** Where a video's cover is sent, the one for all or the one for a language. */
export function coverPathOf(videoId: string, language?: Language): string {
  const path = language ? languageCoverPath.replace(':language', language) : coverPath
  return path.replace(':id', videoId)
}
