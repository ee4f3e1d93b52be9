import { expect, test } from 'vitest'
import { createSlots, networkSlotLimits } from './concurrency-slots.ts'

test('refuses a slot if one limit is reached, and then counts nothing against the other limits', () => {
  const slots = createSlots()
  const ofNetwork = (name: string) =>
    [
      [name, 1],
      ['all', 2],
    ] as const
  const done = slots.take(ofNetwork('a'))
  expect(() => slots.take(ofNetwork('a'))).toThrow('too many downloads in progress')
  slots.take(ofNetwork('b'))
  expect(() => slots.take(ofNetwork('c'))).toThrow('too many downloads in progress')
  done()
  done()
  slots.take(ofNetwork('a'))
  expect(() => slots.take(ofNetwork('c'))).toThrow('too many downloads in progress')
})

test('also limits all IPv6 networks with the same first 48 bits together', () => {
  const slots = createSlots()
  const take = (network: number) => slots.take(networkSlotLimits('exports', `2001:db8:1:${network}::1`, 1))
  for (let network = 1; network <= 16; network++) take(network)
  expect(() => take(17)).toThrow('too many downloads in progress')
  expect(() => take(1)).toThrow('too many downloads in progress')
})
