import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ffmpeg, makeTestVideo, programs } from '#server/testing/media/test-media.ts'
import { probe, detectContainer } from './probe.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

test.each([1, 2, 3])('a file of %d bytes is refused with a readable reason', (length) => {
  expect(() => detectContainer(Buffer.alloc(length, 'a'))).toThrow(UnusableFile)
  expect(() => detectContainer(Buffer.alloc(length, 0xff))).toThrow(UnusableFile)
})

test('Matroska is recognised by its first four bytes', () => {
  expect(detectContainer(Buffer.from('1a45dfa3', 'hex'))).toBe('matroska')
})

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-probe-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** The first byte of a name in a transport stream selects its character set (ETSI EN 300 468, annex A). */
const characterSets = { none: '', cyrillic: '\u0001', latin: '\u000b', korean: '\u0012', unicode: '\u0015' }

test.each(Object.entries(characterSets))(
  'a transport stream with names in the character set %s is probed',
  async (name, first) => {
    const input = join(root, `${name}.ts`)
    const more = ['-metadata', `service_provider=${first}Cafe`, '-f', 'mpegts']
    makeTestVideo(input, { seconds: 1, more })
    expect(await probe(programs.ffprobePath, input)).toMatchObject({ container: 'mpegts', hasAudio: true })
  },
)

const box = (type: string, bytes = Buffer.alloc(8)) => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + bytes.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, bytes])
}

test.each(['styp', 'sidx', 'emsg'])(
  'a fragmented recording whose first box is %s is recognised as a video',
  async (type) => {
    const [whole, input] = [join(root, 'whole.mp4'), join(root, `${type}.mp4`)]
    makeTestVideo(whole, { seconds: 1, more: ['-movflags', 'frag_keyframe+empty_moov'] })
    writeFileSync(input, Buffer.concat([box(type), readFileSync(whole)]))
    expect(await probe(programs.ffprobePath, input)).toMatchObject({ container: 'mov', hasAudio: true })
  },
)

test('an encrypted video is refused with the reason “encrypted”', async () => {
  const input = join(root, 'encrypted.mp4')
  const key = ['-encryption_key', '76a6c65c5ea762046bd749a2e632ccbb']
  const id = ['-encryption_kid', 'a7e61c373e219033c21091fa607bf3b8']
  makeTestVideo(input, { seconds: 1, more: ['-encryption_scheme', 'cenc-aes-ctr', ...key, ...id] })
  await expect(probe(programs.ffprobePath, input)).rejects.toMatchObject({ reason: { key: 'encrypted' } })
})

/** Adds 16 bytes of checksum after each packet of 188 bytes, as some receivers do. */
const withChecksums = (stream: Buffer) =>
  Buffer.concat(
    Array.from({ length: stream.length / 188 }, (_, index) =>
      Buffer.concat([stream.subarray(188 * index, 188 * (index + 1)), Buffer.alloc(16)]),
    ),
  )

test.each([
  { name: 'with a time before each packet, as cameras write', more: ['-mpegts_m2ts_mode', '1'] },
  { name: 'with a checksum after each packet', change: withChecksums },
  { name: 'that begins in the middle of a packet', change: (stream: Buffer) => stream.subarray(100) },
])('a transport stream $name is recognised as a video', async ({ name, more = [], change }) => {
  const input = join(root, `${name}.ts`)
  makeTestVideo(input, { seconds: 1, more: [...more, '-f', 'mpegts'] })
  if (change) writeFileSync(input, change(readFileSync(input)))
  expect(await probe(programs.ffprobePath, input)).toMatchObject({ container: 'mpegts', hasAudio: true })
})

/** Creates a film with two audio tracks. */
function makeTwoTracks(name: string, more: string[]): string {
  const input = join(root, name)
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=25:duration=1']
  const tones = [440, 880].flatMap((hertz) => ['-f', 'lavfi', '-i', `sine=frequency=${hertz}:duration=1`])
  const maps = ['-map', '0', '-map', '1', '-map', '2', '-pix_fmt', 'yuv420p', '-preset', 'ultrafast']
  ffmpeg(...picture, ...tones, ...maps, '-c:a', 'mp2', ...more, input)
  return input
}

test('a second audio track is noted as unused', async () => {
  const { soundIndex, notes } = await probe(programs.ffprobePath, makeTwoTracks('dubbed.mkv', []))
  expect(soundIndex).toBe(1)
  expect(notes).toEqual([{ key: 'otherSoundTracks', tracks: '2' }])
})

test('an audio description before the original audio is not used', async () => {
  const description = ['-disposition:a:0', 'visual_impaired', '-metadata:s:a:0', 'language=eng']
  const input = makeTwoTracks('described.ts', [...description, '-f', 'mpegts'])
  const { soundIndex, notes } = await probe(programs.ffprobePath, input)
  expect(soundIndex).toBe(2)
  expect(notes).toEqual([{ key: 'otherSoundTracks', tracks: '1' }])
})
