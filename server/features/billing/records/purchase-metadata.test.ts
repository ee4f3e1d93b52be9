import { expect, test } from 'vitest'
import { decodePurchase } from './purchase-metadata.ts'

test.each([
  ['another signature', 'x'.repeat(16)],
  ['a signature of characters with several bytes', 'é'.repeat(16)],
  ['an empty signature', ''],
])('ignores a purchase with %s', (_what, signature) => {
  const payment = { orderId: 'ord_1', purchase: `1,e,c,${signature}` }
  expect(decodePurchase({ secret: 'a secret' }, payment)).toBeUndefined()
})
