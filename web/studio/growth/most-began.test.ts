import { expect, test } from 'vitest'
import { mostBegan } from './most-began.ts'

test('no episode has more viewers than the whole that they are a part of, wherever links lead', () => {
  expect(mostBegan([{ began: 1 }, { began: 2 }, { began: 1 }])).toBe(2)
  expect(mostBegan([])).toBe(0)
})
