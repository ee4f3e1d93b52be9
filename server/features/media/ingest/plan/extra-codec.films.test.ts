import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readIngest } from '#server/platform/config/read-ingest.ts'
import {
  brightnessProfile,
  makeTestVideo,
  packetFields,
  programs,
  streamFields,
} from '#server/testing/media/test-media.ts'
import { extraRenditionIndexes } from './extra-codec.ts'
import { findConverter } from '#server/features/media/ingest/convert/find-converter.ts'
import { parsePlaylist } from '#server/features/media/ingest/convert/playlists.ts'
import { transcode } from '#server/features/media/ingest/convert/transcode.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-extra-'))
  makeTestVideo(join(root, 'film.mp4'), { size: '96x160', seconds: 4, rate: '10' })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const find = (codec: string, ffmpegPath = process.env['FFMPEG_PATH']) =>
  findConverter({ ffmpegPath, ingest: readIngest({ EXTRA_CODEC: codec }) })

test.each([
  { codec: 'hevc', named: /^hvc1\.1\.6\.L\d+(\.[0-9A-F]{1,2})*$/i },
  { codec: 'av1', named: /^av01\.0\.\d\dM\.08$/ },
])(
  'renditions in $codec are listed in a separate playlist, and their segments align with the other renditions',
  async ({ codec, named }) => {
    const folder = join(root, codec)
    mkdirSync(folder)
    const { signal } = new AbortController()
    const input = join(root, 'film.mp4')
    await transcode({ programs: await find(codec), input, folder, niceness: 0, signal, onProgress: () => {} })
    const media = join(folder, 'media')
    const listed = (name: string) =>
      readFileSync(join(media, name), 'utf8').match(/#EXT-X-STREAM-INF:.*\n.*/g) ?? []
    const streams = listed('extra.m3u8')
    expect(streams.map((stream) => stream.split('\n')[1])).toEqual(['v0/index.m3u8', 'x0/index.m3u8'])
    expect(listed('master.m3u8')).toEqual(streams.slice(0, 1))
    const [video, sound] = /CODECS="(.*?)"/.exec(streams[1] ?? '')?.[1]?.split(',') ?? []
    expect([video, sound]).toEqual([expect.stringMatching(named), 'mp4a.40.2'])
    expect(readFileSync(join(media, 'master.m3u8'), 'utf8')).toContain(`VALUE="${video}"`)
    expect(streams[1]).toContain('RESOLUTION=96x160')
    const playlist = join(media, 'x0', 'index.m3u8')
    expect(parsePlaylist(readFileSync(playlist, 'utf8')).map(({ duration }) => duration)).toEqual([
      1, 1, 1, 1,
    ])
    const keyTimes = packetFields(playlist, 'pts_time,flags').filter((line) => line.includes('K'))
    expect(keyTimes.map(parseFloat)).toEqual([0, 1, 2, 3])
    expect(streamFields(playlist, 'v:0', 'codec_name')).toEqual([codec])
    const [ours, others] = ['x0', 'v0'].map(
      (name) => brightnessProfile(join(media, name, 'index.m3u8'), 6).row,
    )
    for (const [place, value] of (ours ?? []).entries())
      expect(Math.abs(value - (others?.[place] ?? 0))).toBeLessThan(8)
  },
  // The AV1 encoder of 2018 is much slower than real time.
  300_000,
)

test('the lowest rendition is also made in the extra codec, because players do not change the codec', async () => {
  const renditions = [1280, 854, 640].map((height) => ({
    width: 360,
    height,
    crf: 23,
    maxRate: 1000,
    buffer: 1000,
  }))
  const frameRate = { num: 25, den: 1 }
  expect(extraRenditionIndexes({ renditions, frameRate, hasAudio: true })).toEqual([0, 2])
  expect(extraRenditionIndexes({ renditions: renditions.slice(0, 1), frameRate, hasAudio: true })).toEqual([
    0,
  ])
})

/** Creates a stub of ffmpeg with these encoders. `encode` is a shell command that writes the output file `$last`. */
function writeFfmpegStub(name: string, encoders: string[], encode: string): string {
  const folder = join(root, name)
  mkdirSync(folder)
  const path = join(folder, 'ffmpeg')
  const listed = encoders.map((encoder) => `echo " V....D ${encoder}  Video"`).join('; ')
  const script = `#!/bin/sh
case "$*" in *-version*) echo "ffmpeg version 6.0"; exit ;; *-encoders*) ${listed}; exit ;; *-filters*) exit ;; esac
for last; do :; done
encode() { ${programs.ffmpegPath} -v error -f lavfi -i testsrc=size=64x64:rate=4:duration=2 -pix_fmt yuv420p -bf 0 -sc_threshold 0 "$@" "$last"; }
${encode}
`
  writeFileSync(path, script, { mode: 0o755 })
  return path
}

test.each([
  { name: 'ignores', encode: 'encode', fault: 'does not place keyframes as requested' },
  {
    name: 'doubles',
    encode: 'encode -force_key_frames 0,0.25,1,1.25',
    fault: 'does not place keyframes as requested',
  },
  { name: 'fails', encode: 'exit 1', fault: 'fails' },
  { name: 'crashes', encode: 'kill -SEGV $$', fault: 'fails' },
])(
  'an encoder that $fault is refused at start, and the error names the encoder (stub: $name)',
  async ({ name, encode, fault }) => {
    const path = writeFfmpegStub(name, ['libx265'], encode)
    await expect(find('hevc', path)).rejects.toThrow(
      `EXTRA_CODEC hevc can’t be used with ${path}: its libx265 ${fault}.`,
    )
  },
)

test('the next encoder is chosen if the best encoder ignores requested keyframes', async () => {
  const encode = 'case "$*" in *libsvtav1*) encode ;; *) encode -force_key_frames 0,1 ;; esac'
  const path = writeFfmpegStub('next', ['libsvtav1', 'libaom-av1'], encode)
  expect((await find('av1', path)).extraRendition).toMatchObject({ codec: 'av1', encoder: 'libaom-av1' })
})

test('an ffmpeg without the encoder is refused at start, and the error names the setting', async () => {
  const path = writeFfmpegStub('lacking', ['libx264'], 'exit 1')
  await expect(find('av1', path)).rejects.toThrow(
    `EXTRA_CODEC av1 needs an ffmpeg with libsvtav1 or libaom-av1, which ${path} does not have.`,
  )
})

test('encoders are not tested if EXTRA_CODEC is not set', async () => {
  const path = writeFfmpegStub('untried', ['libx265'], 'exit 1')
  const found = await findConverter({ ffmpegPath: path, ingest: readIngest({}) })
  expect(found.extraRendition).toBeUndefined()
})
