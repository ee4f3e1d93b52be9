import { expect, it } from 'vitest'
import { createAnswerCache } from './answer-cache.ts'

it('an answer that is made of kept ones is no older than a second all the same', async () => {
  let now = 10_900
  const clock = { now: () => new Date(now) }
  let truth = 'old'
  const parts = createAnswerCache<string>(clock)
  const wholes = createAnswerCache<string>(clock)
  const ask = () => wholes.get('whole', () => parts.get('part', async () => truth))
  expect(await parts.get('part', async () => truth)).toBe('old')
  truth = 'new'
  now = 10_990
  expect(await ask()).toBe('old')
  now = 11_000
  expect(await ask()).toBe('new')
})

it('callers share an answer while it is made, and a failure is not kept', async () => {
  const cache = createAnswerCache<string>({ now: () => new Date(0) })
  let asked = 0
  const fail = async () => {
    asked++
    throw new Error('away')
  }
  await expect(Promise.all([cache.get('one', fail), cache.get('one', fail)])).rejects.toThrow('away')
  expect(asked).toBe(1)
  expect(await cache.get('one', async () => 'there')).toBe('there')
})
