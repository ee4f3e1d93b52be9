import { expect, it } from 'vitest'
import { PrimaryPositions } from './replica-lag.ts'

it('measures lag from the moment at which the primary was first seen beyond the replica', () => {
  const primary = new PrimaryPositions()
  for (const second of [1, 2, 3, 4]) primary.note(BigInt(second * 100), second * 1000)
  expect([400n, 399n, 250n, 100n].map((position) => primary.lagOf(position, 5000))).toEqual([
    0, 1000, 2000, 3000,
  ])
})

it('calls nothing behind that has all of a primary which writes nothing', () => {
  const primary = new PrimaryPositions()
  for (const at of [0, 60_000]) primary.note(100n, at)
  expect(primary.lagOf(100n, 3_600_000)).toBe(0)
  primary.note(101n, 3_600_000)
  expect(primary.lagOf(100n, 3_602_000)).toBe(2000)
})

it('does not know how far behind is what was behind from the beginning', () => {
  const primary = new PrimaryPositions()
  primary.note(100n, 0)
  expect(primary.lagOf(99n, 1000)).toBeUndefined()
})

it('begins anew with a primary that lacks changes of the one before', () => {
  const primary = new PrimaryPositions()
  primary.note(500n, 0)
  primary.note(400n, 1000)
  expect(primary.lagOf(400n, 5000)).toBe(0)
})
