import { languages, type Language, type LocalizedText } from '#contract/languages.ts'
import type { VideoDescription } from '#contract/studio/video-descriptions.ts'
import type { StudioEpisode } from '#contract/studio/videos.ts'

/** A difference between the title of an episode in a `video.yaml` and its current title. */
export interface TitleDifference {
  number: number
  language: Language
  /** Undefined if the episode does not exist yet but is among the files to upload. */
  episodeId: string | undefined
  /** The current title; empty if the episode has no title in this language. */
  was: string
  says: string
}

type TitlesByEpisode = VideoDescription['episode_titles']

/** Returns the differences for existing episodes and for those to upload, by language and number. */
export function compareTitles(
  parsedTitles: TitlesByEpisode,
  episodes: readonly Pick<StudioEpisode, 'id' | 'number' | 'titles'>[],
  uploadedNumbers: readonly number[],
): TitleDifference[] {
  const episodesByNumber = new Map(episodes.map((episode) => [episode.number, episode]))
  const known = new Set([...episodesByNumber.keys(), ...uploadedNumbers])
  return languages.flatMap((language) =>
    parsedTitles
      .map((titles, index) => {
        const number = index + 1
        const episode = episodesByNumber.get(number)
        const texts = { was: episode?.titles[language] ?? '', says: titles[language] ?? '' }
        return { number, language, episodeId: episode?.id, ...texts }
      })
      .filter(({ number, was, says }) => known.has(number) && says !== '' && says !== was),
  )
}

/**
 * Returns the key of the checkbox that selects a title. One checkbox selects all new titles of a language; each
 * replaced title has its own.
 */
export const choiceKey = ({ number, language, was }: TitleDifference) =>
  was === '' ? `episodes.${language}` : `episode.${number}.${language}`

/**
 * Returns the numbers of episodes that have a title in the description but exist neither in the video nor among the
 * files.
 */
export function unknownEpisodeNumbers(parsedTitles: TitlesByEpisode, known: ReadonlySet<number>): number[] {
  return parsedTitles.flatMap((titles, index) =>
    Object.keys(titles).length > 0 && !known.has(index + 1) ? [index + 1] : [],
  )
}

/** Returns the selected titles of existing episodes, by episode. */
export function titlesByEpisodeId(
  taken: readonly TitleDifference[],
): { id: string; titles: Partial<LocalizedText> }[] {
  const named = new Map<string, Partial<LocalizedText>>()
  for (const { episodeId, language, says } of taken)
    if (episodeId) named.set(episodeId, { ...named.get(episodeId), [language]: says })
  return [...named].map(([id, titles]) => ({ id, titles }))
}

/** Returns the selected titles of an episode that is among the files to upload. */
export function titlesOfNewEpisode(
  taken: readonly TitleDifference[],
  number: number,
): Partial<LocalizedText> {
  const own = taken.filter((each) => !each.episodeId && each.number === number)
  return Object.fromEntries(own.map(({ language, says }) => [language, says]))
}
