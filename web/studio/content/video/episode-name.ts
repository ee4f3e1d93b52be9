import type { Language } from '#contract/languages.ts'
import type { StudioEpisode } from '#contract/studio/videos.ts'
import type { Translate } from '#web/studio/texts.ts'
import { localizedName } from '#web/studio/format.ts'

/** Returns an episode's title or, if it has none, its number. */
export const episodeName = (
  { titles, number }: Pick<StudioEpisode, 'titles' | 'number'>,
  language: Language,
  t: Translate,
): string => localizedName(titles, language) || t('content.episodeNumber', { number })
