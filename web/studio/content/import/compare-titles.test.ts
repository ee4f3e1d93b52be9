import { expect, it } from 'vitest'
import {
  choiceKey,
  compareTitles,
  titlesByEpisodeId,
  titlesOfNewEpisode,
  unknownEpisodeNumbers,
} from './compare-titles.ts'

const said = [{ en: 'Tide', fy: 'Marée' }, { en: 'Ebb' }, {}, { en: 'Flood' }, { en: 'Foam' }]
const episodes = [
  { id: 'ep_1', number: 1, titles: { en: 'Tide' } },
  { id: 'ep_2', number: 2, titles: { en: 'Low water' } },
]

it('returns titles that differ, of existing and new episodes, with the current title', () => {
  const told = compareTitles(said, episodes, [2, 4])
  expect(told.map(({ number, language, was, says }) => [number, language, was, says])).toEqual([
    [2, 'en', 'Low water', 'Ebb'],
    [4, 'en', '', 'Flood'],
    [1, 'fy', '', 'Marée'],
  ])
  expect(unknownEpisodeNumbers(said, new Set([1, 2, 4]))).toEqual([5])
})

it('assigns accepted titles to existing episodes by id and to new ones by number', () => {
  const taken = compareTitles(said, episodes, [4])
  expect(titlesByEpisodeId(taken)).toEqual([
    { id: 'ep_2', titles: { en: 'Ebb' } },
    { id: 'ep_1', titles: { fy: 'Marée' } },
  ])
  expect(titlesOfNewEpisode(taken, 4)).toEqual({ en: 'Flood' })
  expect(titlesOfNewEpisode(taken, 1)).toEqual({})
})

it('groups new titles of a language and keeps each replacing title separate', () => {
  const before = new Set(compareTitles(said, episodes, []).map(choiceKey))
  expect([...before]).toEqual(['episode.2.en', 'episodes.fy'])
  const joined = compareTitles(said, episodes, [4, 5]).filter((title) => !before.has(choiceKey(title)))
  expect(joined.map((title) => [title.number, choiceKey(title)])).toEqual([
    [4, 'episodes.en'],
    [5, 'episodes.en'],
  ])
})
