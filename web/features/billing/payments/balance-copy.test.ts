import { expect, test, vi } from 'vitest'
import { i18n } from '#web/i18n/index.ts'
import { spendingText, topUpChoice } from './balance-copy.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const topUp = { id: 'top_1', price_cents: 1000, bonus_cents: 0, currency: 'USD' }
const offer = {
  currency: 'USD',
  available_cents: 1100,
  bonus_cents: 0,
  covers: ['episode' as const],
  covers_cheapest: true,
  cheapest: { kind: 'episode' as const, amount_cents: 99, discount_cents: 0 },
  top_ups: [],
}

test('the texts of a top-up without a bonus state the price, that paid money never expires, and the right of withdrawal', () => {
  const { name, text, terms } = topUpChoice(i18n.t, topUp)
  expect(name).toBe('$10.00')
  expect(text).toBe('$10.00 to spend on this site')
  expect(terms).toBe(
    'You pay $10.00 once. Money you paid never expires. You can cancel within 14 days and get back the money you haven’t spent.',
  )
})

test('a bonus is shown beside the price, with its expiry date or a note that it does not expire', () => {
  const forever = topUpChoice(i18n.t, { ...topUp, bonus_cents: 150 })
  expect(forever.name).toBe('$10.00 + $1.50 bonus')
  expect(forever.text).toBe('$11.50 to spend on this site')
  expect(forever.cents).toBe(1000)
  expect(forever.terms).toContain('The bonus of $1.50 doesn’t expire.')
  const { terms } = topUpChoice(i18n.t, { ...topUp, bonus_cents: 150, bonus_days: 90 })
  expect(terms).toMatch(/The bonus of \$1\.50 expires on [A-Z][a-z]+ \d{1,2}, \d{4}\./)
})

test.each([
  [0, '$0.99 is taken from your balance, which leaves $10.01.'],
  [40, 'Your bonus covers $0.40 as a discount, and $0.59 is taken from your balance, which leaves $10.01.'],
  [500, 'Your bonus covers the full price as a discount, which leaves $10.01 in your balance.'],
])('a purchase with %i cents of bonus states what the bonus and the balance pay', (bonus_cents, words) => {
  expect(spendingText(i18n.t, { ...offer, bonus_cents }, 99)).toBe(words)
})
