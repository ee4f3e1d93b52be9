import { languages, type Language, type Texts } from '#contract/languages.ts'
import type { VideoDescription } from '#contract/studio/descriptions.ts'
import type { StudioEpisode } from '#contract/studio/videos.ts'

/** What a `video.yaml` calls an episode otherwise than its row. */
export interface TitleDifference {
  number: number
  language: Language
  /** Undefined for an episode that comes with the files. */
  episodeId: string | undefined
  /** Empty if it has no title in that language. */
  was: string
  says: string
}

type Named = VideoDescription['episode_titles']

/** Where a description and episodes differ, of those that are there or among the files, by language and number. */
export function compareTitles(
  said: Named,
  episodes: readonly Pick<StudioEpisode, 'id' | 'number' | 'titles'>[],
  coming: readonly number[],
): TitleDifference[] {
  const there = new Map(episodes.map((episode) => [episode.number, episode]))
  const known = new Set([...there.keys(), ...coming])
  return languages.flatMap((language) =>
    said
      .map((titles, index) => {
        const number = index + 1
        const episode = there.get(number)
        const texts = { was: episode?.titles[language] ?? '', says: titles[language] ?? '' }
        return { number, language, episodeId: episode?.id, ...texts }
      })
      .filter(({ number, was, says }) => known.has(number) && says !== '' && says !== was),
  )
}

/** What its choice is kept by: new titles in a language are taken or left together, and those that join them later too. */
export const choiceKey = ({ number, language, was }: TitleDifference) =>
  was === '' ? `episodes.${language}` : `episode.${number}.${language}`

/** The numbers of episodes that have a title in a description, and are neither there nor among the files. */
export function unknownOf(said: Named, known: ReadonlySet<number>): number[] {
  return said.flatMap((titles, index) =>
    Object.keys(titles).length > 0 && !known.has(index + 1) ? [index + 1] : [],
  )
}

/** The edits that take over these titles, for the episodes that are there. */
export function namesOf(taken: readonly TitleDifference[]): { id: string; titles: Partial<Texts> }[] {
  const named = new Map<string, Partial<Texts>>()
  for (const { episodeId, language, says } of taken)
    if (episodeId) named.set(episodeId, { ...named.get(episodeId), [language]: says })
  return [...named].map(([id, titles]) => ({ id, titles }))
}

/** The titles of an episode that comes with the files. */
export function titlesOf(taken: readonly TitleDifference[], number: number): Partial<Texts> {
  const own = taken.filter((each) => !each.episodeId && each.number === number)
  return Object.fromEntries(own.map(({ language, says }) => [language, says]))
}
