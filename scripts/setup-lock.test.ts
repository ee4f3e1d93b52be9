import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withSetupLock } from './setup-lock.mjs'

const newFile = () => join(mkdtempSync(join(tmpdir(), 'cliffhanger-lock-')), 'lock')

test('of several who come at once each works by itself, and whoever waits is told so once', async () => {
  const file = newFile()
  const said: string[] = []
  let working = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++working)
    await new Promise((done) => setTimeout(done, 20))
    working--
  }
  await Promise.all([1, 2, 3].map(() => withSetupLock(file, work, (message) => said.push(message))))
  expect(most).toBe(1)
  expect(said).toHaveLength(2)
  expect(existsSync(file)).toBe(false)
})

test('what a process that is gone has left keeps nobody waiting for long', async () => {
  const file = newFile()
  writeFileSync(file, String(spawnSync(process.execPath, ['-e', '']).pid))
  let worked = false
  await withSetupLock(
    file,
    async () => {
      worked = true
    },
    () => {},
  )
  expect(worked).toBe(true)
})

test('work that goes wrong leaves nothing in the way', async () => {
  const file = newFile()
  const failing = withSetupLock(
    file,
    () => Promise.reject(new Error('the disk is full')),
    () => {},
  )
  await expect(failing).rejects.toThrow('the disk is full')
  expect(existsSync(file)).toBe(false)
})
