import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { lockSite } from './site-lock.ts'

let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cliffhanger-lock-'))
})

afterEach(() => rmSync(dir, { recursive: true }))

test('a second site on a data directory is refused with the process and address of the first', () => {
  lockSite(dir, 'http://127.0.0.1:4711')
  const second = () => lockSite(dir, 'http://127.0.0.1:4712')
  expect(second).toThrow(ConfigError)
  expect(second).toThrow(`process ${process.pid}, at http://127.0.0.1:4711.`)
})

test('a released lock is free, and leaves no file', () => {
  lockSite(dir, 'http://127.0.0.1:4711').release()
  expect(readdirSync(dir)).toEqual([])
  lockSite(dir, 'http://127.0.0.1:4712')
})

// Above the highest process id of Linux and macOS.
const unusedPid = 4_194_305

test.each([
  ['of a dead process', { pid: unusedPid, started: '1', note: '' }],
  ['of a process whose id is used again', { pid: process.pid, started: '1', note: '' }],
])('ignores a lock %s', (_, holder) => {
  writeFileSync(join(dir, 'site.lock'), JSON.stringify(holder))
  lockSite(dir, 'http://127.0.0.1:4711')
  expect(readdirSync(dir)).toEqual(['site.lock'])
  expect(() => lockSite(dir, '')).toThrow('http://127.0.0.1:4711')
})

test('ignores a malformed lock file', () => {
  writeFileSync(join(dir, 'site.lock'), '')
  lockSite(dir, 'http://127.0.0.1:4711')
})
