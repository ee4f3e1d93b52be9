import { expect, test, vi } from 'vitest'
import '#web/i18n/watch.ts'
import { i18n } from '#web/i18n/index.ts'
import { waitText } from './use-payment-steps.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const { t } = i18n

test('a wait is shown in whole minutes, rounded up', () => {
  expect(waitText(t, { retryAfter: 61 })).toBe('Too many attempts. Try again in 2 minutes.')
  expect(waitText(t, { retryAfter: 60 })).toBe('Too many attempts. Try again in 1 minute.')
})
