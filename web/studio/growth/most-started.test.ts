import { expect, test } from 'vitest'
import { mostStarted } from './most-started.ts'

test('no episode has more viewers than the whole that they are a part of, wherever links lead', () => {
  expect(mostStarted([{ started: 1 }, { started: 2 }, { started: 1 }])).toBe(2)
  expect(mostStarted([])).toBe(0)
})
