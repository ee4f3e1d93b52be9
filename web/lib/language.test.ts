import { beforeEach, expect, it, vi } from 'vitest'
import { acceptLanguage } from './language.ts'
import { stubStorage } from './stub-storage.ts'

/** Opens a URL in a browser with these languages. */
async function open(search: string, ...languages: string[]) {
  vi.resetModules()
  vi.stubGlobal('location', { search, href: `https://drama.example/my${search}` })
  vi.stubGlobal('navigator', { languages })
  return import('./language.ts')
}

const replaceState = vi.fn()

beforeEach(() => {
  stubStorage()
  vi.stubGlobal('history', { state: { key: 'one' }, replaceState: replaceState.mockReset() })
})

it("the language is the browser's first supported language, or English if none is supported", async () => {
  expect((await open('', 'it-IT', 'fr-CH', 'de')).currentLanguage()).toBe('fy')
  expect((await open('', 'it-IT')).currentLanguage()).toBe('en')
})

it('keeps the chosen language on later visits, unless the URL has another', async () => {
  const { chooseLanguage, currentLanguage } = await open('', 'fr')
  chooseLanguage('pt')
  expect(currentLanguage()).toBe('pt')
  expect(replaceState).not.toHaveBeenCalled()
  expect((await open('', 'fr')).currentLanguage()).toBe('pt')
  expect((await open('?lang=de', 'fr')).currentLanguage()).toBe('dy')
})

it("keeps the URL's language after navigating away", async () => {
  const { currentLanguage } = await open('?lang=de', 'fr')
  expect(currentLanguage()).toBe('dy')
  vi.stubGlobal('location', { search: '' })
  expect(currentLanguage()).toBe('dy')
})

it("replaces the URL's language when the user chooses another, and removes the parameter from the URL", async () => {
  const { chooseLanguage, currentLanguage } = await open('?lang=de&order_id=1', 'fr')
  expect(currentLanguage()).toBe('dy')
  chooseLanguage('es')
  expect(currentLanguage()).toBe('es')
  expect(String(replaceState.mock.calls[0]?.[2])).toBe('https://drama.example/my?order_id=1')
})

it('sends our own language code first, then the code that other servers know, then English', () => {
  expect(acceptLanguage('fy')).toBe('fy,fr;q=0.8,en;q=0.7')
  expect(acceptLanguage('en')).toBe('en')
})
