import type { Language } from '#contract/languages.ts'
import type { StudioEpisode } from '#contract/studio/videos.ts'
import type { Say } from '#web/studio/texts.ts'
import { nameIn } from '#web/studio/format.ts'

/** Returns an episode's title, else its number. */
export const episodeName = (
  { titles, number }: Pick<StudioEpisode, 'titles' | 'number'>,
  language: Language,
  t: Say,
): string => nameIn(titles, language) || t('content.episodeNumber', { number })
