import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeTestVideo, programs } from '#server/testing/media/test-media.ts'
import { transcode } from './transcode.ts'

/** Reports a disk that is full as long as the decoded audio is on it. */
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof fs>()),
  statfs: (folder: string) => ({
    blocks: 1000,
    bavail: existsSync(join(folder, 'sound.mka')) ? 0 : 1000,
    bsize: 4096,
  }),
}))

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-full-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('a full disk is noticed before the temporary files are deleted', async () => {
  const input = join(root, 'film.mp4')
  const folder = join(root, 'out')
  makeTestVideo(input, { size: '64x64', seconds: 1 })
  mkdirSync(folder)
  const { signal } = new AbortController()
  await expect(
    transcode({ programs, input, folder, niceness: 0, signal, onProgress: () => {} }),
  ).rejects.toThrow('The disk is full.')
})
