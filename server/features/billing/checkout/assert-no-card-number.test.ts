import { expect, test } from 'vitest'
import { assertNoCardNumber } from './assert-no-card-number.ts'

test.each([
  '4242424242424242',
  'my card: 4242-4242-4242-4242',
  'card_4242424242424242',
  'card_x4242424242424242x',
  '3782 822463 10005',
  4_242_424_242_424_242,
  { deep: [{ in: 'x4242424242424242x' }] },
  'ref 12345678-1234-1234-1234-4242424242424242',
])('refuses a card number: %o', (value) => {
  expect(() => assertNoCardNumber({ value })).toThrow('cardNumberInBody')
})

test.each([
  '4242424242424241',
  '424242424242',
  '42424242424242424242424242',
  'stok_42424242424242424242424242424242',
  'ord_04242424242424242424242424242424',
  'card_1NvT3bLkdIwHu7ix2PtMQXYZ',
  'card_1A4242424242424242BcDeFg',
  'pay:2026-11-21',
  // These digits pass the Luhn check, but match no card brand.
  'ada-1795335978510@example.com',
  '8613812345678@example.com',
  // Services that forward mails create addresses from UUIDs.
  '42424242-4242-4242-ab4b-1c9d0e2f3a5b@example.com',
  null,
  true,
])('accepts text without a card number: %o', (value) => {
  expect(() => assertNoCardNumber({ value })).not.toThrow()
})
