import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { joinWrites } from '#server/platform/join-writes.ts'
import { createLog } from '#server/platform/log.ts'
import type { Tx } from '#server/tables.ts'
import { bufferEvents } from './buffer-events.ts'

const log = createLog({ json: true, level: 'silent' })

/** Opens a buffer with a fake database, which can be unavailable or refuse a batch because of its data. */
function openBuffer(capacity?: number) {
  const database = {
    written: [] as number[],
    batches: 0,
    fails: undefined as Error | undefined,
    /** Events whose sender is being looked up. */
    unready: new Set<number>(),
    trim: async () => {},
  }
  const write = async (batch: readonly { n: number }[]) => {
    if (database.fails) throw database.fails
    database.batches += 1
    database.written.push(...batch.map(({ n }) => n))
    return ['usr_1']
  }
  const prepare = async (batch: readonly { n: number }[]) => () => write(batch)
  const isReady = ({ n }: { n: number }) => !database.unready.has(n)
  const trim = () => database.trim()
  // The fake database does not use the transaction.
  const join = joinWrites<Tx>((work) => work({} as Tx), log)
  return {
    database,
    events: bufferEvents({
      joinWrites: join,
      prepare,
      write,
      isReady,
      trim,
      log,
      ...(capacity && { capacity }),
    }),
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('events are written together, within a second', async () => {
  const { database, events } = openBuffer()
  for (let n = 0; n < 50; n++) events.add({ n })
  expect(database.written).toEqual([])
  await vi.advanceTimersByTimeAsync(999)
  expect(database).toMatchObject({ written: Array.from({ length: 50 }, (_, n) => n), batches: 1 })
})

test('while the database is unavailable, the newest events are kept, and the oldest are dropped and counted', async () => {
  const { database, events } = openBuffer(10)
  database.fails = new Error('away')
  for (let n = 0; n < 25; n++) events.add({ n })
  await vi.advanceTimersByTimeAsync(5000)
  expect(database.written).toEqual([])
  database.fails = undefined
  await vi.advanceTimersByTimeAsync(1000)
  expect(database.written).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24])
  expect(events.dropped()).toBe(15)
})

test('a batch that the database always refuses does not block the next batch', async () => {
  const { database, events } = openBuffer()
  database.fails = Object.assign(new Error('a NUL in it'), { code: '22P05' })
  events.add({ n: 1 })
  await vi.advanceTimersByTimeAsync(1000)
  database.fails = undefined
  events.add({ n: 2 })
  await vi.advanceTimersByTimeAsync(1000)
  expect(database.written).toEqual([2])
  expect(events.dropped()).toBe(1)
})

test('events are dropped while the disk of the database is full', async () => {
  const { database, events } = openBuffer()
  database.fails = Object.assign(new Error('could not extend file'), { code: '53100' })
  events.add({ n: 1 })
  await vi.advanceTimersByTimeAsync(1000)
  database.fails = undefined
  await vi.advanceTimersByTimeAsync(5000)
  expect([database.written, events.dropped()]).toEqual([[], 1])
})

test('a write does not wait until a user’s excess events are deleted, and is not repeated if that deletion fails', async () => {
  const { database, events } = openBuffer()
  const gate = Promise.withResolvers<void>()
  database.trim = () => gate.promise
  events.add({ n: 1 })
  await vi.advanceTimersByTimeAsync(999)
  events.add({ n: 2 })
  await vi.advanceTimersByTimeAsync(999)
  expect(database).toMatchObject({ written: [1, 2], batches: 2 })
  gate.reject(new Error('away'))
  events.add({ n: 3 })
  await vi.advanceTimersByTimeAsync(2000)
  expect(database).toMatchObject({ written: [1, 2, 3], batches: 3 })
})

test('an event whose sender is being looked up does not delay other events', async () => {
  const { database, events } = openBuffer()
  database.unready.add(1)
  events.add({ n: 1 })
  events.add({ n: 2 })
  await vi.advanceTimersByTimeAsync(999)
  expect(database.written).toEqual([2])
  database.unready.clear()
  await vi.advanceTimersByTimeAsync(999)
  expect(database.written).toEqual([2, 1])
})

test('a stop writes buffered events, and no more events are accepted', async () => {
  const { database, events } = openBuffer()
  events.add({ n: 1 })
  await events.stop()
  events.add({ n: 2 })
  await vi.advanceTimersByTimeAsync(2000)
  expect(database.written).toEqual([1])
})

test('a stop ends even while the database is unavailable', async () => {
  const { database, events } = openBuffer()
  database.fails = new Error('away')
  events.add({ n: 1 })
  await events.stop()
  expect(database.written).toEqual([])
})
