import { expect, test } from 'vitest'
import { orderStatuses, type Order, type Plan } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import '#web/i18n/member-area.ts'
import '#web/i18n/watch.ts'
import { i18n } from '#web/i18n/index.ts'
import {
  badgeOf,
  planChangeText,
  episodeChoice,
  isClosedUnpaid,
  shouldShowOfferAgain,
  mayStillBePaid,
  membershipText,
  orderStatusText,
  owedChoice,
  panelTerms,
  payLabel,
  planChoice,
  planTerms,
  orderResultText,
  unpaidText,
  videoChoice,
  waitText,
  withdrawalText,
} from './price-copy.ts'
import { vi } from 'vitest'

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
  expect(planChoice(t, plan).cents).toBe(499)
  expect(payLabel(t, planChoice(t, plan))('$4.99')).toBe('Subscribe for $4.99')
})

test('an item sold without a form states its renewal, cancellation and withdrawal', () => {
  const ends = t('pay.cancelAnyTime')
  const undone = t('order.withdrawal')
  const choice = planChoice(t, plan)
  expect(panelTerms(t, choice, true)).toBe(`${choice.terms} ${ends} ${undone}`)
  expect(panelTerms(t, choice, false)).toBe(`${choice.terms} ${ends}`)
  const once = { ...choice, kind: 'episode' as const, terms: 'Once.' }
  expect([true, false].map((one) => panelTerms(t, once, one))).toEqual([`Once. ${undone}`, 'Once.'])
  expect(choice.renews).toEqual({ cents: 999, days: 7 })
})

test('only the lowest price per day is called the best value, whatever the operator recommends', () => {
  const plans = [
    { ...plan, id: 'weekly', highlight: false },
    { ...plan, id: 'monthly', price_cents: 2499, period_days: 30, highlight: true },
    { ...plan, id: 'yearly', price_cents: 14_999, period_days: 365, highlight: false },
  ]
  expect(plans.map((one) => badgeOf(one, plans))).toEqual([undefined, 'recommended', 'best'])
  expect(plans.slice(0, 2).map((one) => badgeOf(one, plans.slice(0, 2)))).toEqual([undefined, 'best'])
  expect(badgeOf(plan, [plan])).toBe('recommended')
})

test('the regular price is shown to users who are not eligible for the introductory price', () => {
  const { cents, terms } = planChoice(t, plan).regular ?? { terms: '' }
  expect([cents, terms.includes('$4.99'), terms.includes('$9.99 every 7 days')]).toEqual([999, false, true])
})

test('a regular price is shown with its renewal, a single day in the singular', () => {
  const { intro_price_cents: _none, ...plain } = plan
  expect(planTerms(t, { ...plain, period_days: 1 })).toContain('$9.99 every day until you cancel')
  expect(planChoice(t, plain).cents).toBe(999)
  expect(planTerms(t, { ...plan, period_days: 1 })).toContain('$4.99 for the first day, then $9.99 every day')
})

test('an episode is paid once, at its price and in its currency', () => {
  const episode = { id: 'ep_4', video_id: 'vid_1', number: 4, title: '', thumb_url: null }
  const choice = episodeChoice(t, {
    episode,
    price: { episode_cents: 100, video_cents: 999, currency: 'EUR' },
  })
  expect(choice).toMatchObject({ cents: 100, currency: 'EUR' })
  expect(choice.terms).toContain('€1.00 once')
  expect(payLabel(t, choice)('€1.00')).toBe('Pay €1.00')
})

test('a whole drama shows its number of episodes, and whether more will follow', () => {
  const drama = { id: 'vid_1', price: { episode_cents: 99, video_cents: 999, currency: 'USD' }, count: 24 }
  expect(videoChoice(t, { ...drama, hasUnreadyEpisodes: false }).text).toBe('All 24 episodes, yours to keep')
  expect(videoChoice(t, { ...drama, hasUnreadyEpisodes: true }).text).toBe(
    'All 24 episodes, yours to keep. Some are not out yet. New episodes unlock automatically when they are released',
  )
})

test('a wait is shown in whole minutes, rounded up', () => {
  expect(waitText(t, { retryAfter: 61 })).toBe('Too many attempts. Try again in 2 minutes.')
  expect(waitText(t, { retryAfter: 60 })).toBe('Too many attempts. Try again in 1 minute.')
})

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
  const monthly = { ...plan, id: 'plan_2', name: 'Monthly', price_cents: 2499, period_days: 30 }
  expect(planChangeText(t, monthly, subscribed)).toMatch(
    /^Weekly is paid until November 28, 2026. Monthly from November 28, 2026. \$24.99 every 30 days until you cancel, tax included. You won’t be charged now. Cancel any/,
  )
  expect(planChangeText(t, monthly, { ...subscribed, ...cancelled })).toMatch(
    /from November 28, 2026\. .+ This also resumes the subscription you cancelled\./,
  )
})

test('an open period is paid at its own price, without an introductory price, and is no new subscription', () => {
  const owed = { id: 'plan_2', name: 'Monthly', price_cents: 2499, currency: 'USD', period_days: 30 }
  const choice = owedChoice(t, owed, [])
  expect(choice).toMatchObject({
    id: 'plan_2',
    cents: 2499,
    terms: expect.stringMatching(/^\$24.99 every 30 days/),
  })
  expect(payLabel(t, choice)('$24.99')).toBe('Pay $24.99')
  expect(membershipText(t, { ...subscribed, ...unpaid, owed })).toMatch(
    /^The last payment for Monthly didn’t/,
  )
})

test('an open period whose price no gateway accepts asks for another plan', () => {
  const owed = { id: 'plan_2', name: 'Monthly', price_cents: 2499, currency: 'USD', period_days: 30 }
  const stuck = { ...subscribed, ...unpaid, owed: { ...owed, gateways: [] } }
  expect(membershipText(t, stuck)).toMatch(/^The last payment for Monthly .* choose another plan by then/)
  const payable = { ...stuck, owed: { ...owed, gateways: ['stripe'] } }
  expect(membershipText(t, payable)).toMatch(/we’ll keep trying/)
})

test('a failed payment is shown with the end of the grace period, cancelled or not', () => {
  expect(membershipText(t, { ...subscribed, ...unpaid })).toMatch(/until December 1, 2026; we’ll keep trying/)
  expect(membershipText(t, { ...subscribed, ...cancelled, ...unpaid })).toMatch(
    /until December 1, 2026 and won’t be charged again/,
  )
})

test('a detached payment method is shown, with the date when another is needed', () => {
  const lost = { ...subscribed, renews_at: null, ends_at: '2026-12-01T12:00:00Z', method_detached: true }
  expect(membershipText(t, lost)).toMatch(/was removed .* pay another way on .*2026/)
  expect(membershipText(t, { ...lost, ...unpaid })).toMatch(/until .*2026\. .* pay another way/)
})

const order: Order = {
  id: 'ord_1',
  status: 'pending',
  kind: 'plan',
  amount_cents: 2499,
  refunded_cents: 0,
  currency: 'USD',
  gateway: 'sandbox',
  created_at: '2026-11-21T12:00:00Z',
  expires_at: '2026-12-21T12:00:00Z',
  next: { type: 'none' },
}

test('a pending change of plan is not shown as unpaid, but with its start, and that nothing is charged before', () => {
  const planned = { ...order, starts_at: '2026-11-28T12:00:00Z' }
  expect(orderStatusText(t, planned)).toBe('Starts on November 28, 2026')
  expect(orderResultText(t, planned)).toBe(
    'Your plan changes on November 28, 2026. You’ll be charged then, not before.',
  )
})

test('a change of plan that cannot start says so', () => {
  expect(orderStatusText(t, { ...order, starts_at: null })).toBe(
    'Won’t start: the subscription was cancelled',
  )
  expect(orderResultText(t, { ...order, starts_at: null })).toMatch(/won’t take place. You won’t be charged/)
})

test('an order that can be paid is shown as unpaid, and polled', () => {
  expect(orderStatusText(t, order)).toBe('Awaiting payment')
  expect(orderResultText(t, order)).toBe('Waiting for payment…')
  expect(orderResultText(t, undefined)).toBe('Waiting for payment…')
})

test('an order that was refunded, or whose card was declined, is not polled', () => {
  expect(orderResultText(t, { ...order, status: 'charged_back' })).toBe('This order was refunded.')
  const declined = { reason: 'cardDeclined', message: 'The card was declined.' }
  expect(orderResultText(t, { ...order, declined })).toBe('The card was declined.')
})

test.each(orderStatuses)('an order that is %s links to the offer only if nothing was unlocked', (status) => {
  const isUnlocked = status === 'pending' || status === 'paid' || status === 'partially_refunded'
  expect(shouldShowOfferAgain({ ...order, status })).toBe(!isUnlocked)
})

test('an order leads to the offer after a refused or refunded payment, but not while one is processed', () => {
  const reason = { reason: 'late', message: 'The payment arrived too late.' }
  expect(shouldShowOfferAgain({ ...order, declined: reason })).toBe(true)
  expect(shouldShowOfferAgain({ ...order, auto_refund: reason })).toBe(true)
  expect(shouldShowOfferAgain({ ...order, auto_refund: reason, processing: true })).toBe(false)
})

test('an order with a payment pending at the gateway is shown as processing, not as expired or unpaid', () => {
  const processing = { ...order, processing: true }
  expect(orderStatusText(t, processing)).toBe('Processing')
  expect(orderResultText(t, processing)).toMatch(/being processed/)
})

test.each(['failed', 'cancelled', 'expired'] as const)(
  'an order that is %s with a pending payment is not shown as uncharged, nor offered again',
  (status) => {
    const closed = { ...order, status, processing: true }
    const texts = [orderStatusText(t, closed), orderResultText(t, closed), unpaidText(t, closed)]
    expect(texts).toEqual(['Processing', expect.stringMatching(/being processed/), t('order.outcomeUnknown')])
    expect([mayStillBePaid(closed), isClosedUnpaid(closed)]).toEqual([true, false])
    expect(isClosedUnpaid({ ...order, status })).toBe(true)
  },
)

test('an order that is refunded automatically says so wherever it is shown', () => {
  const message = 'You already own what this payment was for. We’re refunding you.'
  const back = { ...order, status: 'cancelled' as const, auto_refund: { reason: 'already_owned', message } }
  expect([orderStatusText(t, back), orderResultText(t, back), unpaidText(t, back)]).toEqual([
    message,
    message,
    message,
  ])
  expect(mayStillBePaid(back)).toBe(false)
  const again = { ...back, processing: true }
  expect([orderStatusText(t, again), orderResultText(t, again)]).toEqual([
    'Processing',
    expect.stringMatching(/being processed/),
  ])
})

test('an order that may still be paid is not shown as refused by the bank', () => {
  expect(unpaidText(t, order)).toMatch(/please don’t pay again/)
  expect(mayStillBePaid(order)).toBe(true)
})

test.each<[Partial<Order>, RegExp]>([
  [{ next: { type: 'card_form' } }, /bank didn’t confirm/],
  [{ declined: { reason: 'cardDeclined', message: 'The card was declined.' } }, /^The card was declined/],
  [{ status: 'failed' }, /You weren’t charged/],
])('an unpaid order shows the reason: %j', (as, words) => {
  expect(unpaidText(t, { ...order, ...as })).toMatch(words)
  expect(mayStillBePaid({ ...order, ...as })).toBe(false)
})

test('a withdrawal shows the amount to refund, or that nothing is left', () => {
  const all = { amount_cents: 59, currency: 'USD' }
  expect(withdrawalText(t, all)).toBe(
    'We’re refunding $0.59 to your original payment method. We’ve e-mailed you a confirmation.',
  )
  expect(withdrawalText(t, { ...all, amount_cents: 0 })).toBe(
    'There is nothing left to refund. We’ve e-mailed you a confirmation.',
  )
})
