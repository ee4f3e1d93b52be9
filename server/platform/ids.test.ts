import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { hasCardNumber } from './card-number.ts'
import { toLetters, newId, randomHex } from './ids.ts'

test('regenerates an id that could contain a card number', () => {
  const drawn = ['a4242424242424242b', '00000000400000000000000000000002', 'f1234567890123f', 'c0ffee']
  const remaining = [...drawn]
  expect(drawn.slice(0, 1).every(hasCardNumber)).toBe(true)
  expect(randomHex(() => remaining.shift() ?? '')).toBe('c0ffee')
  expect(remaining).toEqual([])
})

test('no id contains a long run of digits, even if a number follows the id', () => {
  for (let count = 0; count < 20_000; count++) {
    const id = newId('ord')
    expect(id).toMatch(/^ord_[0-9a-f]{32}$/)
    if (/\d{9}/.test(id) || hasCardNumber(`${id}.12`)) expect(id).toBe('free of long runs')
  }
})

test('a hash in letters has no digits, and differs for another text', () => {
  const hashes = ['one', 'other'].map((text) => toLetters(createHash('sha256').update(text).digest()))
  expect(hashes[0]).toMatch(/^[a-p]{64}$/)
  expect(hashes[0]).not.toBe(hashes[1])
})
