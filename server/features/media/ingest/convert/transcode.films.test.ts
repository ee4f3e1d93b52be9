import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  mkdirSync,
  existsSync,
} from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ffmpeg,
  makeTestVideo,
  firstVideoCodec,
  packetFields,
  programs,
} from '#server/testing/media/test-media.ts'
import { rotateMp4 } from '#server/testing/media/rotate-mp4.ts'
import { splitBoxes } from '#server/features/media/ingest/files/mp4-boxes.ts'
import { parsePlaylist } from './playlists.ts'
import { runLimited } from '#server/features/media/ingest/files/run-ffmpeg.ts'
import { transcode } from './transcode.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-transcode-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

let runs = 0
async function make(input: string, signal = new AbortController().signal) {
  const folder = join(root, `out-${runs++}`)
  mkdirSync(folder)
  const progress: number[] = []
  const result = await transcode({
    programs,
    input,
    folder,
    niceness: 0,
    signal,
    onProgress: (percent) => progress.push(percent),
  })
  const read = (name: string) => readFileSync(join(folder, 'media', name), 'utf8')
  return { result, folder, media: join(folder, 'media'), read, progress }
}

test('a film becomes renditions with aligned segments: four of 1 s, then 2 s, each beginning with a keyframe', async () => {
  const input = join(root, 'film.mp4')
  makeTestVideo(input, { size: '640x360', seconds: 6, rate: '30' })
  const { result, media, read, progress } = await make(input)
  expect(result).toEqual({
    width: 640,
    height: 360,
    durationMs: 6000,
    hasAudio: true,
    captions: new Map(),
    notes: [],
  })
  for (const rendition of ['v0', 'v1']) {
    expect(parsePlaylist(read(`${rendition}/index.m3u8`)).map(({ duration }) => duration)).toEqual([
      1, 1, 1, 1, 2,
    ])
    const keyTimes = packetFields(join(media, rendition, 'index.m3u8'), 'pts_time,flags')
      .filter((line) => line.includes('K'))
      .map(parseFloat)
    expect(keyTimes).toEqual([0, 1, 2, 3, 4])
  }
  const sound = parsePlaylist(read('a/index.m3u8')).map(({ duration }) => duration)
  expect(sound.map(Math.round)).toEqual([1, 1, 1, 1, 2])
  expect(readdirSync(join(media, 'a')).length).toBe(sound.length + 2)
  expect(Math.max(...packetFields(join(media, 'a/index.m3u8'), 'pts_time').map(parseFloat))).toBeGreaterThan(
    5.9,
  )
  expect(progress.at(-1)).toBe(99)
  expect((await sharp(join(media, 'poster.webp')).metadata()).width).toBe(640)
  expect(read('storyboard.vtt')).toContain('00:00:04.000 --> 00:00:06.000\nstoryboard.jpg#xywh=320,0,160,90')
  expect((await sharp(join(media, 'storyboard.jpg')).metadata()).width).toBe(480)
})

test('the lowest rendition needs at most 400 kbit/s even for pure noise', async () => {
  const input = join(root, 'noise.mkv')
  makeTestVideo(input, { size: '360x640', seconds: 4, noise: true })
  const { read } = await make(input)
  const rates = [...read('master.m3u8').matchAll(/:BANDWIDTH=(\d+)/g)].map(([, rate]) => Number(rate))
  expect(rates.at(-1)).toBeLessThanOrEqual(400_000)
})

test('a film keeps an unusual aspect ratio, and gets no audio rendition if it has no audio', async () => {
  const input = join(root, 'wide.mov')
  makeTestVideo(input, { size: '480x204', seconds: 1, sound: false })
  const { result, media, read } = await make(input)
  expect(result).toMatchObject({ width: 480, height: 204, hasAudio: false })
  expect(read('master.m3u8')).toContain('RESOLUTION=480x204')
  expect(existsSync(join(media, 'a'))).toBe(false)
})

test('a film with a rotation in its container is shown upright', async () => {
  const input = join(root, 'upright.mp4')
  makeTestVideo(input, { size: '320x180', seconds: 1 })
  rotateMp4(input, 90)
  expect((await make(input)).result).toMatchObject({ width: 180, height: 320 })
})

test('the public blurred image has too few pixels to show any detail', async () => {
  const input = join(root, 'still.mp4')
  makeTestVideo(input, { seconds: 1 })
  const { folder } = await make(input)
  const still = sharp(join(folder, 'public', 'still.webp'))
  const few = await still
    .clone()
    .resize(20, 12, { fit: 'fill' })
    .resize(320, 180, { kernel: 'cubic', fit: 'fill' })
    .greyscale()
    .raw()
    .toBuffer()
  const all = await still.clone().resize(320, 180, { fit: 'fill' }).greyscale().raw().toBuffer()
  const difference =
    all.reduce((sum, value, index) => sum + Math.abs(value - (few[index] ?? 0)), 0) / all.length
  expect(difference).toBeLessThan(4)
})

const notVideos: [string, string | Buffer, string][] = [
  ['empty.mp4', '', 'is empty'],
  ['text.mp4', 'Dear diary', 'is a text file'],
  ['playlist.mp4', '#EXTM3U\n#EXTINF:1,\n/etc/passwd\n', 'is a playlist'],
  ['bytes.mp4', Buffer.from([1, 2, 3, 255, 254, 0]), 'isn’t a readable video'],
  [
    'hollow.mp4',
    Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from('ftypisom\0\0\0\0')]),
    'its index is missing',
  ],
]
test.each(notVideos.map(([name, content, reason]) => ({ name, content, reason })))(
  '$name is refused with the reason “$reason”',
  async ({ name, content, reason }) => {
    writeFileSync(join(root, name), content)
    await expect(make(join(root, name))).rejects.toThrow(reason)
  },
)

test('the film is found although a cover image precedes it in the file', async () => {
  const [film, cover, input] = ['plain.mp4', 'cover.png', 'covered.mp4'].map((name) => join(root, name))
  if (!film || !cover || !input) throw new Error('each name gets its own path')
  makeTestVideo(film, { size: '320x180', seconds: 1 })
  await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } }).toFile(cover)
  const joined = ['-i', cover, '-map', '0', '-map', '1', '-c', 'copy', '-disposition:v:1', 'attached_pic']
  ffmpeg('-i', film, ...joined, input)
  writeFileSync(input, coverFirst(readFileSync(input)))
  expect(firstVideoCodec(input)).toBe('png')
  expect((await make(input)).result).toMatchObject({ width: 320, height: 180, durationMs: 1000 })
})

/** Moves the metadata of a film's cover before the metadata of the film's tracks. */
function coverFirst(file: Buffer): Buffer {
  const inOrder = splitBoxes(file).map(({ type, bytes }) => {
    if (type !== 'moov') return bytes
    const parts = splitBoxes(bytes.subarray(8))
    const cover = parts.filter((part) => part.type === 'udta')
    const others = parts.filter((part) => part.type !== 'udta')
    return Buffer.concat([bytes.subarray(0, 8), ...[...cover, ...others].map((part) => part.bytes)])
  })
  return Buffer.concat(inOrder)
}

test('audio without video is refused', async () => {
  const input = join(root, 'sound.mp4')
  makeTestVideo(input, { seconds: 1, more: ['-map', '1:a'] })
  await expect(make(input)).rejects.toThrow('contains no video')
})

test('a truncated file is refused with the actual and the expected duration', async () => {
  const input = join(root, 'cut.mp4')
  makeTestVideo(input, { seconds: 6, more: ['-movflags', '+faststart'] })
  truncateSync(input, Math.round((await stat(input)).size * 0.55))
  await expect(make(input)).rejects.toThrow(/is cut off after [\d.]+ s of 6 s/)
})

test('a file whose index was cut off is refused', async () => {
  const input = join(root, 'headless.mp4')
  makeTestVideo(input, { seconds: 2 })
  truncateSync(input, Math.round((await stat(input)).size / 2))
  await expect(make(input)).rejects.toThrow('its index is missing')
})

test('an aborted run ends at once with the reason of the abort', async () => {
  const input = join(root, 'long.mp4')
  makeTestVideo(input, { seconds: 20 })
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('stopped')), 300)
  await expect(make(input, stop.signal)).rejects.toThrow('stopped')
})

test('a program that prints nothing for too long is killed', async () => {
  await expect(
    runLimited({ program: 'sleep', args: ['30'], timeoutMs: 20_000, silenceMs: 50 }),
  ).rejects.toThrow('takes too long')
})
