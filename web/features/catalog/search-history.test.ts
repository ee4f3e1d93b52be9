import { beforeEach, expect, it } from 'vitest'
import { addSearch, clearSearches, readSearches, removeSearch } from './search-history.ts'

beforeEach(() => void clearSearches())

it('puts the latest search first and removes an earlier one that differs only in case', () => {
  addSearch('heir')
  addSearch('train')
  addSearch('Heir')
  expect(readSearches()).toEqual(['Heir', 'train'])
})

it('keeps at most twelve searches', () => {
  for (let i = 0; i < 20; i++) addSearch(`words ${i}`)
  expect(readSearches()).toHaveLength(12)
  expect(readSearches()[0]).toBe('words 19')
})

it('removes one search, or all searches', () => {
  addSearch('heir')
  addSearch('train')
  expect(removeSearch('heir')).toEqual(['train'])
  expect(clearSearches()).toEqual([])
})
