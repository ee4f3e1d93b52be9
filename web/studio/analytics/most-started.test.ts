import { expect, test } from 'vitest'
import { mostStarted } from './most-started.ts'

test("is at least the number of every episode's viewers, wherever links lead", () => {
  expect(mostStarted([{ started: 1 }, { started: 2 }, { started: 1 }])).toBe(2)
  expect(mostStarted([])).toBe(0)
})
