import { expect, it } from 'vitest'
import { clock, longDate, money, shortCount } from './format.ts'

it('says dates in the en-US long form', () => {
  expect(longDate('2026-11-21T12:00:00Z')).toBe('November 21, 2026')
})

it.each(['yesterday', '', null, undefined])("says 'Invalid Date' for %j", (time) => {
  expect(longDate(time)).toBe('Invalid Date')
})

it('takes cents and shows two decimals', () => {
  expect([money(499, 'USD'), money(5, 'EUR'), money(100_000, 'USD')]).toEqual(['$4.99', '€0.05', '$1,000.00'])
})

it('shortens play counts, and writes lengths as a clock does', () => {
  expect([shortCount(999), shortCount(1_234_567)]).toEqual(['999', '1.2M'])
  expect([clock(83_000), clock(-1)]).toEqual(['1:23', '0:00'])
})
