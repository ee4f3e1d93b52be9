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

test('runs concurrent callers one at a time, and reports the waiting once', async () => {
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

test('ignores the lock of an exited process', async () => {
  writeFileSync(file, '')
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(file, longAgo, longAgo)
  let worked = false
  await withSetupLock(file, async () => void (worked = true), say)
  expect(worked).toBe(true)
  expect(messages).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

test('releases the lock if the work fails', async () => {
  const failing = withSetupLock(file, () => Promise.reject(new Error('the disk is full')), say)
  await expect(failing).rejects.toThrow('the disk is full')
  expect(existsSync(file)).toBe(false)
})
