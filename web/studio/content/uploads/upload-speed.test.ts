import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AnnouncedFile } from '#contract/studio/uploads.ts'
import { fromBlob } from './source-file.ts'
import { secondsLeft, secondsLeftOf, enqueueUploads, getQueuedUploads, stopUploads } from './upload-queue.ts'

/** Callbacks that report the sent bytes of each file. */
const progressListeners = vi.hoisted(() => new Map<string, (bytes: number) => void>())
let now = 0

vi.hoisted(() => {
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('removeEventListener', () => {})
})

vi.mock(import('./send-part.ts'), async (original) => ({
  ...(await original()),
  registerUploads: async (_video: string, files: readonly AnnouncedFile[]) =>
    files.map(({ name, bytes, number }) => ({
      id: name,
      name,
      bytes,
      number,
      language: null,
      state: 'uploading' as const,
      parts: [],
      reason: null,
    })),
  sendPart: ({ id }, _blob, { signal, onSent }) => {
    progressListeners.set(id, (bytes) => onSent?.(bytes))
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  },
}))

beforeEach(() => vi.spyOn(performance, 'now').mockImplementation(() => now))
afterEach(() => stopUploads('vid_1'))

const film = (number: number) => ({
  file: fromBlob(new Blob(['x'.repeat(1000)]), `0${number}.mp4`, new Date(0)),
  number,
  language: undefined,
  titles: undefined,
})

it('estimates the remaining time at the recent speed, in total and per parallel file', async () => {
  enqueueUploads('vid_1', [film(1), film(2), film(3)])
  await expect.poll(() => progressListeners.size).toBe(2)
  const report = (name: string, bytes: number) => progressListeners.get(name)?.(bytes)
  report('01.mp4', 0)
  expect(secondsLeft()).toBeUndefined()
  now = 4000
  report('01.mp4', 300)
  report('02.mp4', 100)
  // 100 bytes per second, 2600 left; each of the two files has half the speed.
  expect(secondsLeft()).toBe(26)
  const under = getQueuedUploads().filter(({ state }) => state === 'sending')
  expect(under.map((each) => secondsLeftOf(each))).toEqual([14, 18])
})
