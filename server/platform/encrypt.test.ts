import { expect, test } from 'vitest'
import { deriveKey, decrypt, encrypt } from './encrypt.ts'

const key = deriveKey('a secret of the tests', 'testing')
const sealed = encrypt(key, 'ünder seal', 'ada')

test('an encrypted text decrypts to the original, is unreadable, and differs at each encryption', () => {
  expect(decrypt(key, sealed, 'ada')).toBe('ünder seal')
  expect(sealed.toString('latin1')).not.toContain('seal')
  expect(encrypt(key, 'ünder seal', 'ada')).not.toEqual(sealed)
})

test.each([
  ['for somebody else', () => decrypt(key, sealed, 'bob')],
  ['with another secret', () => decrypt(deriveKey('another secret', 'testing'), sealed, 'ada')],
  ['for another purpose', () => decrypt(deriveKey('a secret of the tests', 'other'), sealed, 'ada')],
  [
    'once a bit was changed',
    () => decrypt(key, Buffer.from(sealed.map((byte, at) => (at === 30 ? byte ^ 1 : byte))), 'ada'),
  ],
  ['cut off', () => decrypt(key, sealed.subarray(0, 20), 'ada')],
])('does not decrypt %s', (_, tried) => {
  expect(tried).toThrow()
})
