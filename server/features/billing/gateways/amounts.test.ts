import { describe, expect, test } from 'vitest'
import { formatMoney } from '#contract/money.ts'
import { GatewayRefused } from './gateway.ts'
import { acceptsAmount as paypalAccepts, toPaypal } from './paypal/amounts.ts'
import { fromStripe, acceptsAmount as stripeAccepts, toStripe } from './stripe/amounts.ts'

describe('an amount at Stripe', () => {
  test.each([
    ['USD', 4951, 4951],
    ['JPY', 9900, 99],
    ['KWD', 4951, 49_510],
    ['HUF', 9900, 9900],
  ])('is converted to Stripe’s unit and back: %s', (currency, cents, theirs) => {
    expect(toStripe(cents, currency)).toBe(theirs)
    expect(fromStripe(theirs, currency)).toBe(cents)
  })

  test.each(['JPY', 'KRW', 'UGX'])(
    'is refused if it has a fraction of its currency’s unit: %s',
    (currency) => {
      expect(() => toStripe(4951, currency)).toThrow(GatewayRefused)
      expect(stripeAccepts(1_000_051, currency)).toBe(false)
    },
  )

  test.each([
    ['USD', 49, 50],
    ['GBP', 29, 30],
    ['JPY', 4900, 5000],
    ['KRW', 4900, 5000],
    ['VND', 4900, 5000],
    ['ISK', 4900, 5000],
  ])('is refused below Stripe’s minimum: %s', (currency, less, least) => {
    expect([less, least].map((cents) => stripeAccepts(cents, currency))).toEqual([false, true])
  })

  test.each([
    ['USD', 99_999_999],
    ['JPY', 9_999_999_900],
    ['KWD', 9_999_999],
  ])('is refused above Stripe’s maximum: %s', (currency, most) => {
    const more = most + (currency === 'JPY' ? 100 : 1)
    expect([most, more].map((cents) => stripeAccepts(cents, currency))).toEqual([true, false])
  })
})

describe('an amount at PayPal', () => {
  test('has the decimals of its currency', () => {
    expect(toPaypal(9900, 'JPY')).toEqual({ currency_code: 'JPY', value: '99' })
    expect(toPaypal(4951, 'USD')).toEqual({ currency_code: 'USD', value: '49.51' })
  })

  test('is refused if it has a fraction of its unit or PayPal does not support its currency', () => {
    expect([paypalAccepts(9950, 'JPY'), paypalAccepts(9900, 'JPY'), paypalAccepts(100, 'KWD')]).toEqual([
      false,
      true,
      false,
    ])
  })
})

test.each([
  [9900, 'JPY', 'en', '¥99'],
  [9950, 'JPY', 'en', '¥99.50'],
  [499, 'USD', 'en', '$4.99'],
  [500, 'USD', 'en', '$5.00'],
] as const)(
  'an amount of %i hundredths in %s is shown with the currency’s decimals, or with more to avoid rounding',
  (cents, currency, language, shown) => {
    expect(formatMoney(cents, currency, language)).toBe(shown)
  },
)
