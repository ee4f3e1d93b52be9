import { expect, test, vi } from 'vitest'
import '#web/i18n/member-area.ts'
import '#web/i18n/watch.ts'
import { i18n } from '#web/i18n/index.ts'
import { withdrawalText } from './withdrawal-copy.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const { t } = i18n

test('the text after a withdrawal states the amount to refund, or that nothing is left', () => {
  const all = { amount_cents: 59, currency: 'USD' }
  expect(withdrawalText(t, all)).toBe(
    'We’re refunding $0.59 to your original payment method. We’ve e-mailed you a confirmation.',
  )
  expect(withdrawalText(t, { ...all, amount_cents: 0 })).toBe(
    'There is nothing left to refund. We’ve e-mailed you a confirmation.',
  )
})
