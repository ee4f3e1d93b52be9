import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withSetupLock } from './setup-lock.mjs'

let folder: string
let file: string
let messages: string[]
const say = (message: string) => messages.push(message)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cliffhanger-lock-'))
  file = join(folder, 'lock')
  messages = []
})
afterEach(() => rmSync(folder, { recursive: true }))

test('runs concurrent callers one at a time, and tells each waiting caller once', async () => {
  let working = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++working)
    await new Promise((done) => setImmediate(done))
    working--
  }
  await Promise.all([1, 2, 3].map(() => withSetupLock(file, work, say)))
  expect(most).toBe(1)
  expect(messages).toHaveLength(2)
  expect(existsSync(file)).toBe(false)
})

/** Writes a lock file whose process has exited. */
function writeStale(path: string) {
  writeFileSync(path, '')
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(path, longAgo, longAgo)
}

test('ignores the lock of an exited process', async () => {
  writeStale(file)
  let worked = false
  await withSetupLock(file, async () => void (worked = true), say)
  expect(worked).toBe(true)
  expect(messages).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

test('does not remove a stale lock while another process is removing it', async () => {
  writeStale(file)
  const removal = `${file}-removal`
  writeFileSync(removal, '')
  const files: string[][] = []
  await withSetupLock(
    file,
    async () => void files.push(readdirSync(folder)),
    () => {
      files.push(readdirSync(folder))
      rmSync(removal)
    },
  )
  expect(files).toEqual([['lock', 'lock-removal'], ['lock']])
})

test('ignores the unfinished removal of a killed process', async () => {
  for (const path of [file, `${file}-removal`]) writeStale(path)
  let worked = false
  await withSetupLock(file, async () => void (worked = true), say)
  expect(worked).toBe(true)
  expect(readdirSync(folder)).toEqual([])
})

test('releases the lock if the work fails', async () => {
  const failing = withSetupLock(file, () => Promise.reject(new Error('the disk is full')), say)
  await expect(failing).rejects.toThrow('the disk is full')
  expect(existsSync(file)).toBe(false)
})
