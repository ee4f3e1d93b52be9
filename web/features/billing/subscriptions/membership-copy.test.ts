import { expect, test, vi } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import '#web/i18n/member-area.ts'
import '#web/i18n/watch.ts'
import { i18n } from '#web/i18n/index.ts'
import { membershipText, planChangeText } from './membership-copy.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const { t } = i18n
const subscribed: Membership = {
  state: 'subscribed',
  status: 'active',
  grace_until: null,
  plan: { id: 'plan_1', name: 'Weekly', price_cents: 999, currency: 'USD', period_days: 7 },
  renews_at: '2026-11-28T12:00:00Z',
  ends_at: null,
  cancel_at_period_end: false,
  gateway: 'sandbox',
}
const cancelled = { renews_at: null, ends_at: '2026-11-28T12:00:00Z', cancel_at_period_end: true }
const unpaid = { status: 'past_due' as const, grace_until: '2026-12-01T12:00:00Z' }

test('a membership shows its renewal and price, or its end', () => {
  expect(membershipText(t, subscribed)).toBe(
    'Weekly renews on November 28, 2026. $9.99 every 7 days until you cancel, tax included.',
  )
  expect(membershipText(t, { ...subscribed, ...cancelled })).toMatch(
    /until November 28, 2026 and won’t be charged again/,
  )
})

test('a membership with a pending change of plan shows the new plan, its start and its price', () => {
  const next_plan = { id: 'plan_2', name: 'Monthly', price_cents: 2499, currency: 'USD', period_days: 30 }
  expect(membershipText(t, { ...subscribed, next_plan })).toBe(
    'Weekly is paid until November 28, 2026. Monthly from November 28, 2026. $24.99 every 30 days until you cancel, tax included.',
  )
})

test('a change of plan states the end of the old plan, the start and price of the new one, and that nothing is charged now', () => {
  const monthly: Plan = {
    id: 'plan_2',
    name: 'Monthly',
    description: '',
    price_cents: 2499,
    currency: 'USD',
    period_days: 30,
    highlight: false,
  }
  expect(planChangeText(t, monthly, subscribed)).toMatch(
    /^Weekly is paid until November 28, 2026. Monthly from November 28, 2026. \$24.99 every 30 days until you cancel, tax included. You won’t be charged now. Cancel any/,
  )
  expect(planChangeText(t, monthly, { ...subscribed, ...cancelled })).toMatch(
    /from November 28, 2026\. .+ This also resumes the subscription you cancelled\./,
  )
})

test('the text about an unpaid period names the plan of that period', () => {
  const owed = { id: 'plan_2', name: 'Monthly', price_cents: 2499, currency: 'USD', period_days: 30 }
  expect(membershipText(t, { ...subscribed, ...unpaid, owed })).toMatch(
    /^The last payment for Monthly didn’t/,
  )
})

test('the text about an unpaid period whose price no gateway accepts asks for another plan', () => {
  const owed = { id: 'plan_2', name: 'Monthly', price_cents: 2499, currency: 'USD', period_days: 30 }
  const stuck = { ...subscribed, ...unpaid, owed: { ...owed, gateways: [] } }
  expect(membershipText(t, stuck)).toMatch(/^The last payment for Monthly .* choose another plan by then/)
  const payable = { ...stuck, owed: { ...owed, gateways: ['stripe'] } }
  expect(membershipText(t, payable)).toMatch(/we’ll keep trying/)
})

test('a failed payment is shown with the end of the grace period, also if the subscription is cancelled', () => {
  expect(membershipText(t, { ...subscribed, ...unpaid })).toMatch(/until December 1, 2026; we’ll keep trying/)
  expect(membershipText(t, { ...subscribed, ...cancelled, ...unpaid })).toMatch(
    /until December 1, 2026 and won’t be charged again/,
  )
})

test('a detached payment method is shown, with the date by which another one is needed', () => {
  const lost = { ...subscribed, renews_at: null, ends_at: '2026-12-01T12:00:00Z', method_detached: true }
  expect(membershipText(t, lost)).toMatch(/was removed .* pay another way on .*2026/)
  expect(membershipText(t, { ...lost, ...unpaid })).toMatch(/until .*2026\. .* pay another way/)
})
