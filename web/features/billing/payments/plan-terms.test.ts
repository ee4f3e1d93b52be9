import { expect, test, vi } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import '#web/i18n/watch.ts'
import { i18n } from '#web/i18n/index.ts'
import { planTerms } from './plan-terms.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const { t } = i18n
const plan: Plan = {
  id: 'plan_1',
  name: 'Weekly',
  description: '',
  price_cents: 999,
  intro_price_cents: 499,
  currency: 'USD',
  period_days: 7,
  highlight: true,
}

test('an introductory price is shown with the regular price after it', () => {
  expect(planTerms(t, plan)).toContain('$4.99 for the first 7 days, then $9.99 every 7 days until you cancel')
})

test('a regular price is shown with its renewal, and a period of one day without a number', () => {
  const { intro_price_cents: _none, ...plain } = plan
  expect(planTerms(t, { ...plain, period_days: 1 })).toContain('$9.99 every day until you cancel')
  expect(planTerms(t, { ...plan, period_days: 1 })).toContain('$4.99 for the first day, then $9.99 every day')
})
