import { beforeEach, expect, it, vi } from 'vitest'
import { acceptLanguage, chooseLanguage, currentLanguage } from './language.ts'

const open = (search: string, ...languages: string[]) => {
  vi.stubGlobal('location', { search })
  vi.stubGlobal('navigator', { languages })
}

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  })
})

it("follows the browser's first that we have, and is English where it has none of ours", () => {
  open('', 'it-IT', 'fr-CH', 'de')
  expect(currentLanguage()).toBe('fy')
  open('', 'it-IT')
  expect(currentLanguage()).toBe('en')
})

it('is the one chosen from then on; `?lang=` goes before it', () => {
  open('', 'fr')
  chooseLanguage('pt')
  expect(currentLanguage()).toBe('pt')
  open('?lang=de', 'fr')
  expect(currentLanguage()).toBe('dy')
})

it('is told to servers with the code that others know it by, and English last', () => {
  expect(acceptLanguage('fy')).toBe('fy,fr;q=0.8,en;q=0.7')
  expect(acceptLanguage('en')).toBe('en')
})
