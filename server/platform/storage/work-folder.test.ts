import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hourMs } from '#server/platform/clock.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { ownWorkFolder, purgeWorkFolders } from './work-folder.ts'

let dataDir: string
let storage: Storage
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'work-folder-'))
  storage = openDisk(dataDir)
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** Creates a work folder with a file, both last changed this many hours ago. @returns its name */
function workFolder(name: string, hours: number): string {
  const folder = join(storage.workDir, name)
  const changedAt = new Date(Date.now() - hours * hourMs)
  mkdirSync(join(folder, 'media'), { recursive: true })
  const file = join(folder, 'media', 'segment.m4s')
  writeFileSync(file, '')
  for (const path of [file, join(folder, 'media'), folder]) utimesSync(path, changedAt, changedAt)
  return name
}

test('keeps the files of a running process, however old, and deletes those of an ended one', async () => {
  const own = basename(ownWorkFolder(storage))
  workFolder(own, 48)
  // The same process id, but another start time.
  workFolder(own.replace(/-[\w-]{2}$/, ''), 0)
  await purgeWorkFolders(storage)
  expect(readdirSync(storage.workDir)).toEqual([own])
})

test('keeps the files of another container until none has changed for six hours', async () => {
  const own = basename(ownWorkFolder(storage)).split('-')
  const inContainer = (id: string) => ['process', '1', id, ...own.slice(3)].join('-')
  const running = workFolder(inContainer('0123abcd'), 5)
  workFolder(inContainer('4567abcd'), 7)
  await purgeWorkFolders(storage)
  expect(readdirSync(storage.workDir).toSorted()).toEqual([running, own.join('-')].toSorted())
})

test('keeps a folder of another container that cannot be listed', async () => {
  // Uses a file, which cannot be listed either. A folder cannot be listed while its owner deletes subfolders.
  writeFileSync(join(storage.workDir, 'process-1-0123abcd-'), '')
  await purgeWorkFolders(storage)
  expect(readdirSync(storage.workDir)).toEqual(['process-1-0123abcd-'])
})
