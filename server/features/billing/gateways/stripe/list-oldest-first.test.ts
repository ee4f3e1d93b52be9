import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listOldestFirst } from './list-oldest-first.ts'

const maxHeld = 5

const times = fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 60 })

test('every object since a time is listed once, oldest first, on pages of limited size', async () => {
  await fc.assert(
    fc.asyncProperty(times, fc.integer({ min: 0, max: 2000 }), async (createdTimes, since) => {
      const objects = createdTimes.map((created, id) => ({ id, created }))
      const pages: (typeof objects)[] = []
      for await (const page of listOldestFirst(listLatestFirst(objects), since, maxHeld)) pages.push(page)
      const listed = pages.flat()
      const expected = objects.filter(({ created }) => created >= since)
      expect(new Set(listed)).toEqual(new Set(expected))
      expect(listed).toHaveLength(expected.length)
      const listedTimes = listed.map(({ created }) => created)
      expect(listedTimes).toEqual(listedTimes.toSorted((one, other) => one - other))
      for (const page of pages)
        expect(page.length <= maxHeld || new Set(page.map(({ created }) => created)).size === 1).toBe(true)
    }),
  )
})

test('listing a day of 150,000 objects uses pages of at most 500, and requests less than 10 % more objects than it lists', async () => {
  const objects = Array.from({ length: 150_000 }, (_, id) => ({ id, created: Math.floor(id * 0.576) }))
  let requested = 0
  let held = 0
  let count = 0
  const list = listLatestFirst(objects, () => void requested++)
  for await (const page of listOldestFirst(list, 0)) {
    count += page.length
    held = Math.max(held, page.length)
  }
  expect(count).toBe(150_000)
  expect(held).toBeLessThanOrEqual(500)
  expect(requested).toBeLessThan(1.1 * 150_000)
})

/** Lists objects as Stripe does: latest first. */
function listLatestFirst<T extends { created: number }>(objects: readonly T[], observe = () => {}) {
  const sorted = objects.toSorted((one, other) => other.created - one.created)
  return async function* ({ gte, lte = Infinity }: { gte: number; lte?: number }) {
    for (const object of sorted) {
      if (object.created > lte) continue
      if (object.created < gte) return
      observe()
      yield object
    }
  }
}
