import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTrackDelay } from '#server/features/media/ingest/files/mp4-boxes.ts'
import {
  beepingAudioInput,
  beepTimesOf,
  flashFramesOf,
  flashingVideoInput,
  frameBrightness,
} from '#server/testing/media/flash-and-beep.ts'
import { ffmpeg, programs } from '#server/testing/media/test-media.ts'
import { transcode } from './transcode.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-offsets-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Creates a film whose frames are decoded in another order than they are shown. */
function makeReordered(name: string, flags: string): string {
  const input = join(root, name)
  const inputs = [...flashingVideoInput(4), ...beepingAudioInput(4), '-pix_fmt', 'yuv420p']
  ffmpeg(...inputs, '-c:v', 'libx264', '-bf', '3', '-g', '25', '-c:a', 'aac', '-movflags', flags, input)
  return input
}

const fragmented = '+frag_keyframe+empty_moov+default_base_moof'
test.each([
  {
    name: 'negative composition offsets in fragments',
    flags: `+negative_cts_offsets${fragmented}`,
    delay: 0.08,
  },
  { name: 'positive composition offsets in fragments', flags: fragmented, delay: 0 },
  { name: 'negative composition offsets in one index', flags: '+negative_cts_offsets', delay: 0 },
])('a film with $name stays in sync', async ({ name, flags, delay }) => {
  const input = makeReordered(`${name}.mp4`, flags)
  expect(await readTrackDelay(input, 1)).toBeCloseTo(delay)
  const folder = join(root, name)
  mkdirSync(folder)
  const { signal } = new AbortController()
  await transcode({ programs, input, folder, niceness: 0, signal, onProgress: () => {} })
  const flashes = flashFramesOf(frameBrightness(join(folder, 'media/v0/index.m3u8'))).map(
    (frame) => frame / 25,
  )
  const beeps = beepTimesOf(join(folder, 'media/a/index.m3u8'))
  expect(beeps).toHaveLength(3)
  // Frames are 40 ms apart.
  expect(flashes).toEqual(beeps.map((beep) => expect.closeTo(beep, 1)))
})
