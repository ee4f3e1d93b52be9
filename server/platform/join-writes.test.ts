import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { joinWrites, type WriteBuffer } from './join-writes.ts'
import { createLog } from './log.ts'
import { currentRequestId, runInRequest } from './request-id.ts'

/** The rows that a transaction has written. */
type Rows = string[]

/** A database that stores the rows of each transaction once it is committed. */
function fakeDatabase() {
  const commits: Rows[] = []
  const transact = async <Result>(work: (tx: Rows) => Promise<Result>): Promise<Result> => {
    const rows: Rows = []
    const result = await work(rows)
    commits.push(rows)
    return result
  }
  return { commits, transact }
}

/** A buffer of rows. A row equal to `refuses` fails its transaction; `writeAll` drops such a row. */
class RowBuffer implements WriteBuffer<Rows> {
  rows: string[] = []
  refuses = ''
  readonly #transact: ReturnType<typeof fakeDatabase>['transact']
  constructor(transact: ReturnType<typeof fakeDatabase>['transact']) {
    this.#transact = transact
  }
  isEmpty = () => this.rows.length === 0
  take = async () => {
    const taken = this.rows.splice(0, 3)
    if (taken.length === 0) return undefined
    return {
      isFull: taken.length === 3,
      write: async (tx: Rows) => {
        this.#insert(tx, taken)
        return () => {}
      },
      putBack: () => void this.rows.unshift(...taken),
    }
  }
  writeAll = async () => {
    const rows = this.rows.splice(0).filter((row) => row !== this.refuses)
    if (rows.length > 0) await this.#transact(async (tx) => this.#insert(tx, rows))
  }
  #insert(tx: Rows, rows: readonly string[]): void {
    if (rows.includes(this.refuses)) throw new Error('refused')
    tx.push(...rows)
  }
}

function openBuffers() {
  const { commits, transact } = fakeDatabase()
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const join = joinWrites<Rows>(transact, createLog({ json: true, level: 'debug', destination }))
  const open = () => {
    const buffer = new RowBuffer(transact)
    const { schedule, flush, stop } = join(buffer)
    const add = (...rows: string[]) => {
      buffer.rows.push(...rows)
      schedule()
    }
    return { buffer, add, flush, stop }
  }
  return { commits, lines, positions: open(), events: open() }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('buffers are written in one transaction, within a second', async () => {
  const { commits, positions, events } = openBuffers()
  positions.add('p1')
  await vi.advanceTimersByTimeAsync(500)
  events.add('e1')
  expect(commits).toEqual([])
  await vi.advanceTimersByTimeAsync(499)
  expect(commits).toEqual([['p1', 'e1']])
  events.add('e2')
  await vi.advanceTimersByTimeAsync(999)
  expect(commits).toEqual([['p1', 'e1'], ['e2']])
})

test('if a row fails the transaction of all buffers, each buffer is written separately, and only that row is lost', async () => {
  const { commits, positions, events } = openBuffers()
  events.buffer.refuses = 'bad'
  positions.add('p1', 'p2')
  events.add('bad', 'e1')
  await vi.advanceTimersByTimeAsync(999)
  expect(commits.toSorted()).toEqual([['e1'], ['p1', 'p2']])
  positions.add('p3')
  events.add('e2')
  await vi.advanceTimersByTimeAsync(999)
  expect(commits.at(-1)).toEqual(['p3', 'e2'])
})

test('a buffer whose separate write is slow does not delay the other buffers', async () => {
  const { commits, positions, events } = openBuffers()
  const gate = Promise.withResolvers<void>()
  const { writeAll } = positions.buffer
  positions.buffer.writeAll = () => gate.promise.then(writeAll)
  positions.buffer.refuses = 'bad'
  positions.add('bad', 'p1')
  events.add('e1')
  await vi.advanceTimersByTimeAsync(999)
  expect(commits).toEqual([['e1']])
  for (const event of ['e2', 'e3']) {
    events.add(event)
    positions.add(`p of ${event}`)
    await vi.advanceTimersByTimeAsync(999)
    expect(commits.at(-1)).toEqual([event])
  }
  gate.resolve()
  await vi.advanceTimersByTimeAsync(999)
  expect(commits.at(-1)).toEqual(['p1', 'p of e2', 'p of e3'])
})

test('if the transaction of all buffers fails, its error is logged', async () => {
  const { lines, events } = openBuffers()
  events.buffer.refuses = 'bad'
  events.add('bad')
  await vi.advanceTimersByTimeAsync(999)
  expect(lines).toEqual([expect.stringMatching(/"message":"refused".*written on its own/)])
})

test.each(['take', 'writeAll'] as const)(
  'buffers are still written after `%s` of one buffer has rejected',
  async (method) => {
    const { commits, lines, positions, events } = openBuffers()
    const { buffer } = positions
    const works = buffer[method]
    // `writeAll` is called only after the transaction of all buffers has failed.
    buffer.refuses = 'bad'
    Object.assign(buffer, { [method]: () => Promise.reject(new Error('broken')) })
    positions.add('bad', 'p1')
    events.add('e1')
    await vi.advanceTimersByTimeAsync(999)
    expect(commits.flat()).toContain('e1')
    expect(lines.join('')).toContain('"message":"broken"')
    Object.assign(buffer, { [method]: works })
    positions.add('p2')
    events.add('e2')
    await vi.advanceTimersByTimeAsync(1998)
    expect(commits.flat().toSorted()).toEqual(['e1', 'e2', 'p1', 'p2'])
  },
)

test('buffers are still written after a batch could not be put back', async () => {
  const { commits, positions, events } = openBuffers()
  const { take } = positions.buffer
  positions.buffer.take = async () => {
    const batch = await take()
    return batch && { ...batch, putBack: () => expect.unreachable() }
  }
  events.buffer.refuses = 'bad'
  positions.add('p1')
  events.add('bad', 'e1')
  await vi.advanceTimersByTimeAsync(999)
  positions.add('p2')
  events.add('e2')
  await vi.advanceTimersByTimeAsync(999)
  expect(commits.flat()).toEqual(['e1', 'p2', 'e2'])
})

test('if a buffer has more than a batch, its rest is written right after the transaction of all buffers', async () => {
  const { commits, positions, events } = openBuffers()
  positions.add('p1', 'p2', 'p3', 'p4', 'p5')
  events.add('e1')
  await vi.advanceTimersByTimeAsync(999)
  expect(commits).toEqual([
    ['p1', 'p2', 'p3', 'e1'],
    ['p4', 'p5'],
  ])
})

test('data that is added during a write is written a second later, with the other buffers', async () => {
  const { commits, positions, events } = openBuffers()
  const { take } = positions.buffer
  let during = ['p2']
  positions.buffer.take = async () => {
    const batch = await take()
    positions.add(...during)
    during = []
    return batch
  }
  positions.add('p1')
  await vi.advanceTimersByTimeAsync(999)
  events.add('e1')
  expect(commits).toEqual([['p1']])
  await vi.advanceTimersByTimeAsync(999)
  expect(commits).toEqual([['p1'], ['p2', 'e1']])
})

test('a flush also waits for the data that is already being written', async () => {
  const { commits, positions, events } = openBuffers()
  const gate = Promise.withResolvers<void>()
  const { take } = events.buffer
  events.buffer.take = () => gate.promise.then(take)
  positions.add('p1')
  events.add('e1')
  await vi.advanceTimersByTimeAsync(999)
  let flushed = false
  const flush = positions.flush().then(() => (flushed = true))
  await vi.advanceTimersByTimeAsync(10)
  expect([flushed, commits]).toEqual([false, []])
  gate.resolve()
  await flush
  expect(commits).toEqual([['p1', 'e1']])
})

test('a stopped buffer is written a last time, and not on the schedule afterwards', async () => {
  const { commits, positions, events } = openBuffers()
  positions.add('p1')
  await positions.stop()
  expect(commits).toEqual([['p1']])
  positions.buffer.rows.push('late')
  events.add('e1')
  await vi.advanceTimersByTimeAsync(5000)
  expect(commits).toEqual([['p1'], ['e1']])
})

test('a scheduled write belongs to no request, even if a request has scheduled it', async () => {
  // Uses real timers, because fake ones do not keep the request of their caller.
  vi.useRealTimers()
  const { transact } = fakeDatabase()
  const buffer = new RowBuffer(transact)
  const { schedule } = joinWrites<Rows>(transact, createLog({ json: true, level: 'fatal' }), 0)(buffer)
  const id = Promise.withResolvers<string | undefined>()
  buffer.take = async () => {
    id.resolve(currentRequestId())
    return undefined
  }
  buffer.rows.push('p1')
  runInRequest('request-1', schedule)
  expect(await id.promise).toBeUndefined()
})
