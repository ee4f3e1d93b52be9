import { expect, it } from 'vitest'
import { Fault } from '#contract/errors.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

const position = ['2026-01-02T03:04:05.678Z', 'vid_1']
const cursor = encodeCursor('newest', position)

it('leads back to its position in its own list', () => {
  expect(decodeCursor('newest', cursor, 2)).toEqual(position)
})

it('is refused in another list, and with any character changed', () => {
  expect(() => decodeCursor('popular', cursor, 2)).toThrow(Fault)
  const damaged = Array.from({ length: cursor.length - 1 }, (_, index) => {
    const other = cursor[index] === 'A' ? 'Q' : 'A'
    return cursor.slice(0, index) + other + cursor.slice(index + 1)
  })
  for (const one of damaged) expect(() => decodeCursor('newest', one, 2), one).toThrow(Fault)
})

it('stays short, however long the name of its list is', () => {
  expect(encodeCursor('語'.repeat(200), position).length).toBeLessThan(512)
})
