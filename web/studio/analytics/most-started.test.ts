import { expect, test } from 'vitest'
import { mostStarted } from './most-started.ts'

test('returns the largest viewer count of any episode, or 0 without episodes', () => {
  expect(mostStarted([{ started: 1 }, { started: 2 }, { started: 1 }])).toBe(2)
  expect(mostStarted([])).toBe(0)
})
