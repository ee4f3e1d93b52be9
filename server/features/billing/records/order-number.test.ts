import { expect, test } from 'vitest'
import { orderIdPrefix, orderNumber } from '#contract/order-number.ts'

const id = 'ord_7f3a29c011b4d02f5ac1f00d5eedbabe'

test('an order has a short number', () => {
  expect(orderNumber(id)).toBe('CH-7F3A-29C0-11B4')
})

test.each(['CH-7F3A-29C0-11B4', 'ch-7f3a-29c0-11b4', '7f3a29c011b4', ' CH 7F3A 29C0 11B4 '])(
  '%j leads to the orders whose ids begin with its digits',
  (typed) => {
    expect(orderIdPrefix(typed)).toBe('ord_7f3a29c011b4')
    expect(id.startsWith(orderIdPrefix(typed) ?? 'none')).toBe(true)
  },
)

test.each([id, 'CH-7F3A', 'ada@example.com', 'CH-7F3A-29C0-11BX'])('%j is not an order number', (typed) => {
  expect(orderIdPrefix(typed)).toBeUndefined()
})
