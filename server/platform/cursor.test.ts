import { expect, it } from 'vitest'
import { Fault } from '#contract/errors.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

const position = ['2026-01-02T03:04:05.678Z', 'vid_1']
const cursor = encodeCursor('newest', position)

it('a cursor of a list decodes to its position in that list', () => {
  expect(decodeCursor('newest', cursor, ['time', 'text'])).toEqual(position)
})

it('a cursor is refused for another list, or if a character was changed', () => {
  expect(() => decodeCursor('popular', cursor, ['time', 'text'])).toThrow(Fault)
  // If the length is a multiple of 4, all bits of the last character are data, so a change of it changes the data.
  expect(cursor.length % 4).toBe(0)
  const damaged = Array.from(cursor, (character, index) => {
    const other = character === 'A' ? 'Q' : 'A'
    return cursor.slice(0, index) + other + cursor.slice(index + 1)
  })
  for (const one of damaged) expect(() => decodeCursor('newest', one, ['time', 'text']), one).toThrow(Fault)
})

it.each([
  ['time', 'tomorrow'],
  ['time', '0000-01-01T00:00:00.000Z'],
  ['time', '2026-13-01T00:00:00.000Z'],
  ['integer', 2 ** 31],
  ['integer', 0.5],
  ['count', -1],
  ['count', 2 ** 53],
  ['text', 'a\0b'],
  ['text', 1],
] as const)('a forged cursor with the %s %j is refused', (kind, part) => {
  expect(() => decodeCursor('newest', encodeCursor('newest', [part]), [kind])).toThrow(Fault)
})

it('a cursor is short even if the name of its list is long', () => {
  expect(encodeCursor('語'.repeat(200), position).length).toBeLessThan(512)
})
