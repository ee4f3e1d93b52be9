import { expect, test } from 'vitest'
import { keyOf, open, seal } from './seal.ts'

const key = keyOf('a secret of the tests', 'testing')
const sealed = seal(key, 'ünder seal', 'ada')

test('a sealed text opens again, and looks like nothing, never twice the same', () => {
  expect(open(key, sealed, 'ada')).toBe('ünder seal')
  expect(sealed.toString('latin1')).not.toContain('seal')
  expect(seal(key, 'ünder seal', 'ada')).not.toEqual(sealed)
})

test.each([
  ['for somebody else', () => open(key, sealed, 'bob')],
  ['with another secret', () => open(keyOf('another secret', 'testing'), sealed, 'ada')],
  ['for another purpose', () => open(keyOf('a secret of the tests', 'other'), sealed, 'ada')],
  [
    'once a bit was changed',
    () => open(key, Buffer.from(sealed.map((byte, at) => (at === 30 ? byte ^ 1 : byte))), 'ada'),
  ],
  ['cut off', () => open(key, sealed.subarray(0, 20), 'ada')],
])('it does not open %s', (_, tried) => {
  expect(tried).toThrow()
})
