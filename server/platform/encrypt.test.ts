import { expect, test } from 'vitest'
import { deriveKey, decrypt, encrypt } from './encrypt.ts'

const key = deriveKey('a secret of the tests', 'testing')
const ciphertext = encrypt(key, 'ünder seal', 'ada')

test('an encrypted text decrypts to the original, is unreadable, and differs at each encryption', () => {
  expect(decrypt(key, ciphertext, 'ada')).toBe('ünder seal')
  expect(ciphertext.toString('latin1')).not.toContain('seal')
  expect(encrypt(key, 'ünder seal', 'ada')).not.toEqual(ciphertext)
})

test.each([
  ['for another owner', () => decrypt(key, ciphertext, 'bob')],
  ['with another secret', () => decrypt(deriveKey('another secret', 'testing'), ciphertext, 'ada')],
  ['for another purpose', () => decrypt(deriveKey('a secret of the tests', 'other'), ciphertext, 'ada')],
  [
    'if a bit was changed',
    () => decrypt(key, Buffer.from(ciphertext.map((byte, at) => (at === 30 ? byte ^ 1 : byte))), 'ada'),
  ],
  ['if it was cut off', () => decrypt(key, ciphertext.subarray(0, 20), 'ada')],
])('does not decrypt %s', (_, tried) => {
  expect(tried).toThrow()
})
