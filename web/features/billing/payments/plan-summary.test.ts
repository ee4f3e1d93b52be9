import { expect, test, vi } from 'vitest'
import '#web/i18n/watch.ts'
import { i18n } from '#web/i18n/index.ts'
import { monthlyPriceText, planSummary } from './plan-summary.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const { t } = i18n

test('a plan shows its monthly price, unless it is a monthly plan', () => {
  const text = (cents: number, days: number, currency = 'USD') =>
    monthlyPriceText(t, { renews: { cents, days }, currency })
  expect(text(999, 7)).toBe('About $43.41 a month.')
  expect(text(9999, 365)).toBe('About $8.33 a month.')
  expect(text(999, 30)).toBe('')
  expect(monthlyPriceText(t, { currency: 'USD' })).toBe('')
})

test('a price per month has the decimals of its currency', () => {
  expect(monthlyPriceText(t, { renews: { cents: 100_000, days: 365 }, currency: 'JPY' })).toBe(
    'About ¥83 a month.',
  )
})

test('a plan in a list shows how long its price applies, and the price after it', () => {
  const weekly = { renews: { cents: 999, days: 7 }, currency: 'USD' }
  const regular = { cents: 999, terms: '' }
  expect(planSummary(t, weekly)).toBe('Every 7 days. About $43.41 a month.')
  expect(planSummary(t, { ...weekly, regular })).toBe(
    'First 7 days, then $9.99 every 7 days. About $43.41 a month.',
  )
  expect(planSummary(t, { renews: { cents: 100, days: 1 }, regular, currency: 'USD' })).toBe(
    'First day, then $1.00 every day. About $30.42 a month.',
  )
  expect(planSummary(t, { renews: { cents: 2499, days: 30 }, currency: 'USD' })).toBe('Every 30 days.')
})
