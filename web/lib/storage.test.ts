import { expect, it, vi } from 'vitest'
import { storage } from './storage.ts'
import { stubStorage } from './stub-storage.ts'

const isFull = () => {
  throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
}

it('returns the newest value if the storage is full, and removes the older stored value', () => {
  const entries = stubStorage()
  storage.set('key', 'old')
  vi.spyOn(localStorage, 'setItem').mockImplementation(isFull)
  storage.set('key', 'new')
  expect(storage.get('key')).toBe('new')
  expect([...entries]).toEqual([])
})

it('keeps values in memory while the storage is blocked', () => {
  vi.stubGlobal('localStorage', undefined)
  storage.set('key', 'value')
  expect(storage.get('key')).toBe('value')
  storage.remove('key')
  expect(storage.get('key')).toBeNull()
})
