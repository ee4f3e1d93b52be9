import { afterEach, expect, it, vi } from 'vitest'
import type { AnnouncedFile } from '#contract/studio/uploads.ts'
import { fromBlob } from './source-file.ts'
import { removeStopped, enqueueUploads, retryUploads, getQueuedUploads, stopUploads } from './upload-queue.ts'

const registered = vi.hoisted(() => ({ names: [] as string[] }))

vi.hoisted(() => {
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('removeEventListener', () => {})
})

vi.mock(import('./send-part.ts'), async (original) => ({
  ...(await original()),
  registerUploads: async (_video: string, files: readonly AnnouncedFile[]) => {
    registered.names.push(...files.map(({ name }) => name))
    return []
  },
}))

afterEach(() => ['vid_1', 'vid_2', 'vid_3', 'vid_4', 'vid_5'].forEach(stopUploads))

const film = (path: string, lastModifiedAt = new Date(0)) => ({
  file: fromBlob(new Blob(['film']), path, lastModifiedAt),
  number: 1,
  language: undefined,
  titles: undefined,
})

it('sends a valid name even if the name is cut in the middle of a character', async () => {
  enqueueUploads('vid_1', [film(`season/🌊${'a'.repeat(250)}.mp4`)])
  await expect.poll(() => registered.names).toHaveLength(1)
  const [name = ''] = registered.names
  expect(name).toHaveLength(255)
  expect(name.isWellFormed()).toBe(true)
})

it("marks files that cannot be registered as failed, without the browser's error message", async () => {
  enqueueUploads('vid_2', [film('01.mp4'), film('02.mp4', new Date(Number.NaN))])
  const ofVideo = () => getQueuedUploads().filter(({ videoId }) => videoId === 'vid_2')
  await expect.poll(() => ofVideo().map(({ state }) => state)).toEqual(['failed', 'failed'])
  expect(ofVideo().map(({ message }) => message)).toEqual(['', ''])
})

it('keeps stopped files, resumes them on request, and forgets them when removed', async () => {
  const statesOf = () =>
    getQueuedUploads()
      .filter(({ videoId }) => videoId === 'vid_3')
      .map(({ state }) => state)
  enqueueUploads('vid_3', [film('01.mp4'), film('02.mp4')])
  stopUploads('vid_3')
  expect(statesOf()).toEqual(['stopped', 'stopped'])
  removeStopped('vid_3', [
    { name: '01.mp4', bytes: 5 },
    { name: '02.mp4', bytes: 4 },
  ])
  expect(statesOf()).toEqual(['stopped'])
  retryUploads('vid_3')
  expect(statesOf()).toEqual(['waiting'])
})

it('stops only the files of one video', () => {
  enqueueUploads('vid_4', [film('01.mp4')])
  enqueueUploads('vid_5', [film('01.mp4')])
  stopUploads('vid_4')
  const stateOf = (id: string) => getQueuedUploads().find(({ videoId }) => videoId === id)?.state
  expect([stateOf('vid_4'), stateOf('vid_5')]).toEqual(['stopped', 'waiting'])
})
