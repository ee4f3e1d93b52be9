import { expect, test } from 'vitest'
import { recognise } from './probe.ts'
import { UnusableFile } from './unusable-file.ts'

test.each([1, 2, 3])('a file of %d bytes is refused in words', (length) => {
  expect(() => recognise(Buffer.alloc(length, 'a'))).toThrow(UnusableFile)
  expect(() => recognise(Buffer.alloc(length, 0xff))).toThrow(UnusableFile)
})

test('Matroska is known by its first four bytes', () => {
  expect(recognise(Buffer.from('1a45dfa3', 'hex'))).toBe('matroska')
})
