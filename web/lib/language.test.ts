import { beforeEach, expect, it, vi } from 'vitest'
import { acceptLanguage } from './language.ts'
import { stubStorage } from './stub-storage.ts'

/** Opens an address in a browser with these languages. */
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

it("follows the browser's first that we have, and is English where it has none of ours", async () => {
  expect((await open('', 'it-IT', 'fr-CH', 'de')).currentLanguage()).toBe('fy')
  expect((await open('', 'it-IT')).currentLanguage()).toBe('en')
})

it('is the one chosen from then on, on the next visit too, where no address asks for another', async () => {
  const { chooseLanguage, currentLanguage } = await open('', 'fr')
  chooseLanguage('pt')
  expect(currentLanguage()).toBe('pt')
  expect(replaceState).not.toHaveBeenCalled()
  expect((await open('', 'fr')).currentLanguage()).toBe('pt')
  expect((await open('?lang=de', 'fr')).currentLanguage()).toBe('dy')
})

it('stays the one of the address when the address is left', async () => {
  const { currentLanguage } = await open('?lang=de', 'fr')
  expect(currentLanguage()).toBe('dy')
  vi.stubGlobal('location', { search: '' })
  expect(currentLanguage()).toBe('dy')
})

it('goes before the address once it is chosen, which asks no more', async () => {
  const { chooseLanguage, currentLanguage } = await open('?lang=de&order_id=1', 'fr')
  expect(currentLanguage()).toBe('dy')
  chooseLanguage('es')
  expect(currentLanguage()).toBe('es')
  expect(String(replaceState.mock.calls[0]?.[2])).toBe('https://drama.example/my?order_id=1')
})

it('is told to servers with the code that others know it by, and English last', () => {
  expect(acceptLanguage('fy')).toBe('fy,fr;q=0.8,en;q=0.7')
  expect(acceptLanguage('en')).toBe('en')
})
