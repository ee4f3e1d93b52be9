import { expect, it } from 'vitest'
import {
  choiceKey,
  compareTitles,
  titlesByEpisodeId,
  titlesOfNewEpisode,
  unknownEpisodeNumbers,
} from './compare-titles.ts'

const parsedTitles = [{ en: 'Tide', fy: 'Marée' }, { en: 'Ebb' }, {}, { en: 'Flood' }, { en: 'Foam' }]
const episodes = [
  { id: 'ep_1', number: 1, titles: { en: 'Tide' } },
  { id: 'ep_2', number: 2, titles: { en: 'Low water' } },
]

it('returns the titles of existing and new episodes that differ from the current ones', () => {
  const differences = compareTitles(parsedTitles, episodes, [2, 4])
  expect(differences.map(({ number, language, was, says }) => [number, language, was, says])).toEqual([
    [2, 'en', 'Low water', 'Ebb'],
    [4, 'en', '', 'Flood'],
    [1, 'fy', '', 'Marée'],
  ])
  expect(unknownEpisodeNumbers(parsedTitles, new Set([1, 2, 4]))).toEqual([5])
})

it('assigns selected titles to existing episodes by id, and to new episodes by number', () => {
  const selected = compareTitles(parsedTitles, episodes, [4])
  expect(titlesByEpisodeId(selected)).toEqual([
    { id: 'ep_2', titles: { en: 'Ebb' } },
    { id: 'ep_1', titles: { fy: 'Marée' } },
  ])
  expect(titlesOfNewEpisode(selected, 4)).toEqual({ en: 'Flood' })
  expect(titlesOfNewEpisode(selected, 1)).toEqual({})
})

it('gives all new titles of a language one checkbox, and each replaced title its own', () => {
  const before = new Set(compareTitles(parsedTitles, episodes, []).map(choiceKey))
  expect([...before]).toEqual(['episode.2.en', 'episodes.fy'])
  const joined = compareTitles(parsedTitles, episodes, [4, 5]).filter(
    (title) => !before.has(choiceKey(title)),
  )
  expect(joined.map((title) => [title.number, choiceKey(title)])).toEqual([
    [4, 'episodes.en'],
    [5, 'episodes.en'],
  ])
})
