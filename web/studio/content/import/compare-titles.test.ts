import { expect, it } from 'vitest'
import { choiceKey, compareTitles, namesOf, titlesOf, unknownOf } from './compare-titles.ts'

const said = [{ en: 'Tide', fy: 'Marée' }, { en: 'Ebb' }, {}, { en: 'Flood' }, { en: 'Foam' }]
const episodes = [
  { id: 'ep_1', number: 1, titles: { en: 'Tide' } },
  { id: 'ep_2', number: 2, titles: { en: 'Low water' } },
]

it('titles are told of episodes that are there or come, where they differ, and with what they would take the place of', () => {
  const told = compareTitles(said, episodes, [2, 4])
  expect(told.map(({ number, language, was, says }) => [number, language, was, says])).toEqual([
    [2, 'en', 'Low water', 'Ebb'],
    [4, 'en', '', 'Flood'],
    [1, 'fy', '', 'Marée'],
  ])
  expect(unknownOf(said, new Set([1, 2, 4]))).toEqual([5])
})

it('what is taken goes to the episodes that are there by their ids, and to those that come by their numbers', () => {
  const taken = compareTitles(said, episodes, [4])
  expect(namesOf(taken)).toEqual([
    { id: 'ep_2', titles: { en: 'Ebb' } },
    { id: 'ep_1', titles: { fy: 'Marée' } },
  ])
  expect(titlesOf(taken, 4)).toEqual({ en: 'Flood' })
  expect(titlesOf(taken, 1)).toEqual({})
})

it('new titles in a language are chosen together, and one that takes the place of another by itself', () => {
  const before = new Set(compareTitles(said, episodes, []).map(choiceKey))
  expect([...before]).toEqual(['episode.2.en', 'episodes.fy'])
  const joined = compareTitles(said, episodes, [4, 5]).filter((title) => !before.has(choiceKey(title)))
  expect(joined.map((title) => [title.number, choiceKey(title)])).toEqual([
    [4, 'episodes.en'],
    [5, 'episodes.en'],
  ])
})
