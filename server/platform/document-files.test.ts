import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createDocumentFiles } from './document-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'cliffhanger-documents-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('builds a document once for concurrent callers, and again when it has expired', async () => {
  let now = 0
  let builds = 0
  const files = createDocumentFiles(folder, { now: () => new Date(now) })
  async function* write() {
    builds++
    yield 'one '
    yield String(builds)
  }
  const paths = await Promise.all([1, 2, 3].map(() => files.pathOf('a', write)))
  expect([builds, new Set(paths).size]).toEqual([1, 1])
  expect(readFileSync(paths[0] ?? '', 'utf8')).toBe('one 1')
  expect(statSync(paths[0] ?? '').mode & 0o777).toBe(0o600)
  now = 59_999
  await files.pathOf('a', write)
  expect(builds).toBe(1)
  now = 60_000
  expect(readFileSync(await files.pathOf('a', write), 'utf8')).toBe('one 2')
})

test('does not run two builds of a document at once, even if a build takes longer than the lifetime of the document', async () => {
  let now = 0
  let builds = 0
  const files = createDocumentFiles(folder, { now: () => new Date(now) })
  const { promise: wait, resolve: goOn } = Promise.withResolvers<void>()
  async function* write() {
    builds++
    yield 'slow'
    await wait
  }
  const first = files.pathOf('slow', write)
  now = 100_000
  const second = files.pathOf('slow', write)
  goOn()
  expect(await second).toBe(await first)
  now = 159_999
  await files.pathOf('slow', write)
  expect(builds).toBe(1)
})

test('retries a document whose build failed', async () => {
  const files = createDocumentFiles(folder, { now: () => new Date(0) })
  const failing = () => {
    throw new Error('the database is away')
  }
  await expect(files.pathOf('b', failing)).rejects.toThrow('the database is away')
  async function* write() {
    yield 'there'
  }
  expect(readFileSync(await files.pathOf('b', write), 'utf8')).toBe('there')
})

test('deletes files that are more than an hour old, also those of an earlier process', async () => {
  async function* write() {
    yield 'there'
  }
  const hour = 3_600_000
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  const old = await createDocumentFiles(folder, clock).pathOf('of an earlier process', write)
  const files = createDocumentFiles(folder, clock)
  const recent = await files.pathOf('recent', write)
  utimesSync(old, new Date(now - hour - 1), new Date(now - hour - 1))
  now += 60_000
  await files.pathOf('another', write)
  expect([old, recent].map((path) => existsSync(path))).toEqual([false, true])
})

test('keeps a recent file of a site whose clock was moved forward', async () => {
  async function* write() {
    yield 'there'
  }
  let now = Date.now() + 30 * 24 * 3_600_000
  const files = createDocumentFiles(folder, { now: () => new Date(now) })
  const recent = await files.pathOf('recent after a move', write)
  now += 60_000
  await files.pathOf('another after a move', write)
  expect(existsSync(recent)).toBe(true)
})
