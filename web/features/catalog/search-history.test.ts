import { beforeEach, expect, it } from 'vitest'
import { addSearch, clearSearches, readSearches, removeSearch } from './search-history.ts'

beforeEach(() => void clearSearches())

it('keeps the latest first, each once whatever its case', () => {
  addSearch('heir')
  addSearch('train')
  addSearch('Heir')
  expect(readSearches()).toEqual(['Heir', 'train'])
})

it('keeps twelve at most', () => {
  for (let i = 0; i < 20; i++) addSearch(`words ${i}`)
  expect(readSearches()).toHaveLength(12)
  expect(readSearches()[0]).toBe('words 19')
})

it('forgets one, or all', () => {
  addSearch('heir')
  addSearch('train')
  expect(removeSearch('heir')).toEqual(['train'])
  expect(clearSearches()).toEqual([])
})
