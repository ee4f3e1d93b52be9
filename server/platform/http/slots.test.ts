import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

test('a slot is refused while one of its shares has none left, and takes nothing of the others', () => {
  const slots = createSlots()
  const ofNetwork = (name: string) =>
    [
      [name, 1],
      ['all', 2],
    ] as const
  const done = slots.take(ofNetwork('a'))
  expect(() => slots.take(ofNetwork('a'))).toThrow('too many large answers')
  slots.take(ofNetwork('b'))
  expect(() => slots.take(ofNetwork('c'))).toThrow('too many large answers')
  done()
  done()
  slots.take(ofNetwork('a'))
  expect(() => slots.take(ofNetwork('c'))).toThrow('too many large answers')
})
