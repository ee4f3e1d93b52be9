import { expect, it } from 'vitest'
import { decideReplicaUse, PrimaryPositions } from './replica-lag.ts'

it('measures lag from the time at which the primary was first seen ahead of the replica', () => {
  const primary = new PrimaryPositions()
  for (const second of [1, 2, 3, 4]) primary.record(BigInt(second * 100), second * 1000)
  expect([400n, 399n, 250n, 100n].map((position) => primary.lagOf(position, 5000))).toEqual([
    0, 1000, 2000, 3000,
  ])
})

it('reports no lag for a replica that has every change of an idle primary', () => {
  const primary = new PrimaryPositions()
  for (const at of [0, 60_000]) primary.record(100n, at)
  expect(primary.lagOf(100n, 3_600_000)).toBe(0)
  primary.record(101n, 3_600_000)
  expect(primary.lagOf(100n, 3_602_000)).toBe(2000)
})

it('reports unknown lag for a replica that was behind from the beginning', () => {
  const primary = new PrimaryPositions()
  primary.record(100n, 0)
  expect(primary.lagOf(99n, 1000)).toBeUndefined()
})

it('starts over with a primary that lacks changes of the previous one', () => {
  const primary = new PrimaryPositions()
  primary.record(500n, 0)
  primary.record(400n, 1000)
  expect(primary.lagOf(400n, 5000)).toBe(0)
})

it('leaves out a replica that lags by more than 5 s, until it lags by at most 2 s', () => {
  expect([0, 2000, 2001, 5000, 5001, undefined].map((lagMs) => decideReplicaUse(lagMs))).toEqual([
    'read',
    'read',
    'no change',
    'no change',
    'leave out',
    'leave out',
  ])
})
