import { saveRecord, readRecord } from '#web/lib/storage.ts'

const key = 'search_history'
const maxSearches = 12

/** Returns the searches made in this browser, the latest first. */
export function readSearches(): string[] {
  return readRecord<string[]>(key) ?? []
}

/** Adds a search at the front of the list, or moves it there. @returns the new list */
export function addSearch(searchTerm: string): string[] {
  return saveRecord(
    key,
    [searchTerm, ...readSearches().filter((other) => !isSameSearch(other, searchTerm))].slice(0, maxSearches),
  )
}

export function removeSearch(searchTerm: string): string[] {
  return saveRecord(
    key,
    readSearches().filter((other) => other !== searchTerm),
  )
}

export function clearSearches(): string[] {
  return saveRecord<string[]>(key, [])
}

const isSameSearch = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
