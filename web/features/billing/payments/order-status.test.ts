import { expect, test, vi } from 'vitest'
import { orderStatuses, type Order } from '#contract/billing.ts'
import '#web/i18n/member-area.ts'
import '#web/i18n/watch.ts'
import { i18n } from '#web/i18n/index.ts'
import {
  isClosedUnpaid,
  mayStillBePaid,
  orderResultText,
  orderStatusText,
  shouldShowOfferAgain,
  unpaidText,
} from './order-status.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const { t } = i18n

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

test('a pending change of plan shows when it starts, and that nothing is charged before', () => {
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

test('an order that can be paid, or has not loaded yet, is shown as waiting for payment', () => {
  expect(orderStatusText(t, order)).toBe('Awaiting payment')
  expect(orderResultText(t, order)).toBe('Waiting for payment…')
  expect(orderResultText(t, undefined)).toBe('Waiting for payment…')
})

test('an order that was refunded, or whose card was declined, is not shown as waiting for payment', () => {
  expect(orderResultText(t, { ...order, status: 'charged_back' })).toBe('This order was refunded.')
  const declined = { reason: 'cardDeclined', message: 'The card was declined.' }
  expect(orderResultText(t, { ...order, declined })).toBe('The card was declined.')
})

test.each(orderStatuses)(
  'an order with the status %s shows the offer again unless it is pending or unlocks something',
  (status) => {
    const isUnlocked = status === 'pending' || status === 'paid' || status === 'partially_refunded'
    expect(shouldShowOfferAgain({ ...order, status })).toBe(!isUnlocked)
  },
)

test('an order shows the offer again after a declined or refunded payment, but not while a payment is processed', () => {
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
  'an order with the status %s and a payment in progress is shown as processing, not as closed and unpaid',
  (status) => {
    const closed = { ...order, status, processing: true }
    const texts = [orderStatusText(t, closed), orderResultText(t, closed), unpaidText(t, closed)]
    expect(texts).toEqual(['Processing', expect.stringMatching(/being processed/), t('order.outcomeUnknown')])
    expect([mayStillBePaid(closed), isClosedUnpaid(closed)]).toEqual([true, false])
    expect(isClosedUnpaid({ ...order, status })).toBe(true)
  },
)

test('an order that is refunded automatically says so wherever it is shown, unless a payment is still being processed', () => {
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

test('the text of an order that may still be paid asks the user not to pay again', () => {
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
