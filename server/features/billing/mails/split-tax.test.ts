import { expect, test } from 'vitest'
import { splitTax } from './split-tax.ts'

test.each([
  { cents: 1190, rate: 1900, netCents: 1000, taxCents: 190 },
  { cents: 999, rate: 1900, netCents: 839, taxCents: 160 },
  { cents: 499, rate: 700, netCents: 466, taxCents: 33 },
  { cents: 999, rate: 0, netCents: 999, taxCents: 0 },
  { cents: 0, rate: 1900, netCents: 0, taxCents: 0 },
])(
  'a price of $cents cents with a tax rate of $rate hundredths of a percent includes $taxCents cents of tax',
  (split) => {
    const { cents, rate, netCents, taxCents } = split
    expect(splitTax(cents, rate)).toEqual({ netCents, taxCents })
  },
)

test('net and tax add up to the price for every price', () => {
  for (let cents = 1; cents < 2000; cents++) {
    const { netCents, taxCents } = splitTax(cents, 2550)
    expect(netCents + taxCents).toBe(cents)
    expect(taxCents).toBeGreaterThanOrEqual(0)
  }
})
