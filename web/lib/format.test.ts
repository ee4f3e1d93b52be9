import { expect, it, vi } from 'vitest'
import { formatClock, formatLongDate } from './format.ts'

/** Loads the format functions for an interface language. */
async function open(lang: string) {
  vi.resetModules()
  vi.stubGlobal('location', { search: `?lang=${lang}` })
  return { ...(await import('./format.ts')), ...(await import('./format-money.ts')) }
}

/** Replaces any kind of space with a plain space. */
const plain = (words: string) => words.replaceAll(/\s/g, ' ')

it('formats dates in the en-US long form in every language', async () => {
  expect(formatLongDate('2026-11-21T12:00:00Z')).toBe('November 21, 2026')
  const german = await open('de')
  expect(german.formatLongDate('2026-11-21T12:00:00Z')).toBe('November 21, 2026')
})

it.each(['yesterday', '', null, undefined])("returns 'Invalid Date' for %j", (time) => {
  expect(formatLongDate(time)).toBe('Invalid Date')
})

it.each([
  ['en', '$4.99', '€0.05', '$100,000.00'],
  ['es', '4,99 US$', '0,05 €', '100.000,00 US$'],
  ['fr', '4,99 $US', '0,05 €', '100 000,00 $US'],
  ['de', '4,99 $', '0,05 €', '100.000,00 $'],
  ['pt', 'US$ 4,99', '€ 0,05', 'US$ 100.000,00'],
])('formats cents with two decimals in %s', async (lang, ...words) => {
  const { money } = await open(lang)
  expect([money(499, 'USD'), money(5, 'EUR'), money(10_000_000, 'USD')].map(plain)).toEqual(words)
})

it.each([
  ['en', '12.3K', '1.2M', '4B'],
  ['es', '12,3 mil', '1,2 M', '4 mil M'],
  ['fr', '12,3 k', '1,2 M', '4 Md'],
  ['de', '12,3 Tsd.', '1,2 Mio.', '4 Mrd.'],
  ['pt', '12,3 mil', '1,2 M', '4 mM'],
])('shortens play counts in %s', async (lang, ...words) => {
  const { formatShortCount } = await open(lang)
  expect([12_345, 1_234_567, 3_999_999_999].map(formatShortCount).map(plain)).toEqual(words)
  expect(formatShortCount(999)).toBe('999')
  expect(formatShortCount(999_950)).toMatch(/^1\s?M/)
})

it.each([
  ['en', '1.25'],
  ['fr', '1,25'],
  ['de', '1,25'],
])('formats a decimal number in %s', async (lang, words) => {
  const { formatDecimal } = await open(lang)
  expect([formatDecimal(1.25), formatDecimal(2)]).toEqual([words, '2'])
})

it.each([
  ['en', 'Meta, TikTok, and BIGO Ads'],
  ['es', 'Meta, TikTok y BIGO Ads'],
  ['fr', 'Meta, TikTok et BIGO Ads'],
  ['de', 'Meta, TikTok und BIGO Ads'],
  ['pt', 'Meta, TikTok e BIGO Ads'],
])('joins names in %s', async (lang, words) => {
  const { formatList } = await open(lang)
  expect(formatList(['Meta', 'TikTok', 'BIGO Ads'])).toBe(words)
  expect(formatList(['Meta'])).toBe('Meta')
})

it('formats durations as a clock', () => {
  expect([formatClock(83_000), formatClock(-1)]).toEqual(['1:23', '0:00'])
})
