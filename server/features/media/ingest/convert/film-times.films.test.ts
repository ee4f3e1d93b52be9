import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  beepingAudioInput,
  beepTimesOf,
  frameBrightness,
  encodeOptions,
  flashingVideoInput,
  lavfi,
  flashFramesOf,
} from '#server/testing/media/flash-and-beep.ts'
import { ffmpeg, programs } from '#server/testing/media/test-media.ts'
import { collectTimes, chooseFrameRate } from '#server/features/media/ingest/plan/packet-times.ts'
import { checkSource } from './probe.ts'
import { transcode } from './transcode.ts'

/*
 * The films of these tests flash and beep at each whole second from 1 s. Their conversions must flash and beep at the
 * same times, within 50 ms, until the end.
 */

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-times-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

let runs = 0
/** Checks a film as an upload or an import does, then converts it. */
async function make(input: string) {
  const folder = join(root, `out-${runs++}`)
  mkdirSync(folder)
  const { signal } = new AbortController()
  await checkSource(programs.ffprobePath, input, signal)
  const result = await transcode({ programs, input, folder, niceness: 0, signal, onProgress: () => {} })
  const media = join(folder, 'media')
  const master = readFileSync(join(media, 'master.m3u8'), 'utf8')
  const rate = Number(/FRAME-RATE=([\d.]+)/.exec(master)?.[1])
  return {
    result,
    rate,
    flashes: () => flashFramesOf(frameBrightness(join(media, 'v0/index.m3u8'))).map((at) => at / rate),
    beeps: () => beepTimesOf(join(media, 'a/index.m3u8')),
  }
}

/** Compares with a tolerance of 50 ms. */
const near = (seconds: readonly number[]) => seconds.map((second) => expect.closeTo(second, 1))

const write = (name: string, ...args: string[]) => {
  const path = join(root, name)
  ffmpeg(...args, path)
  return path
}
const joined = (name: string, ...parts: string[]) => {
  const path = join(root, name)
  writeFileSync(path, Buffer.concat(parts.map((part) => readFileSync(part))))
  return path
}

test('a recording without a duration in its container is as long as its packets', async () => {
  const input = join(root, 'recording.mkv')
  writeFileSync(
    input,
    ffmpeg(
      ...flashingVideoInput(3),
      ...beepingAudioInput(3),
      ...encodeOptions,
      '-c:a',
      'flac',
      '-f',
      'matroska',
      'pipe:1',
    ),
  )
  const { result, flashes, beeps } = await make(input)
  expect(result.durationMs).toBe(3000)
  expect(flashes()).toEqual(near([1, 2]))
  expect(beeps()).toEqual(near([1, 2]))
})

test('captions that outlast a film do not lengthen it', async () => {
  const srt = join(root, 'long.srt')
  writeFileSync(srt, '1\n00:00:01,000 --> 00:00:09,000\nHello\n')
  const input = join(root, 'captioned.mkv')
  const inputs = [...flashingVideoInput(2), '-i', srt, ...encodeOptions, '-c:s', 'srt']
  // Streams that are written to a pipe state no durations.
  writeFileSync(input, ffmpeg(...inputs, '-f', 'matroska', 'pipe:1'))
  expect((await make(input)).result.durationMs).toBe(2000)
})

test.each([
  { name: 'with video to its end', cut: 'null', flashed: [1, 2, 3] },
  { name: 'with a last frame that is held', cut: "select='lt(t,1.5)'", flashed: [1] },
])('a recording whose clock starts at 3600 s keeps its duration: $name', async ({ name, cut, flashed }) => {
  const late = ['-c:a', 'flac', '-output_ts_offset', '3600']
  const { result, flashes, beeps } = await make(
    write(
      `part ${name}.mkv`,
      ...flashingVideoInput(4),
      ...beepingAudioInput(4),
      '-vf',
      cut,
      ...encodeOptions,
      ...late,
    ),
  )
  expect(result.durationMs).toBe(4000)
  expect(flashes()).toEqual(near(flashed))
  expect(beeps()).toEqual(near([1, 2, 3]))
})

test.each([
  { name: 'a single frame', cut: "select='eq(n,0)'" },
  { name: 'the last frame', cut: "select='lt(t,1.5)'" },
])('$name is held until the end of the audio', async ({ name, cut }) => {
  const input = write(
    `${name}.mkv`,
    ...flashingVideoInput(4),
    ...beepingAudioInput(4),
    '-vf',
    cut,
    ...encodeOptions,
    '-c:a',
    'flac',
  )
  const { result, beeps } = await make(input)
  expect(result.durationMs).toBe(4000)
  expect(beeps()).toEqual(near([1, 2, 3]))
})

test('the first frame is shown during audio that begins earlier', async () => {
  const input = write(
    'late.mp4',
    ...beepingAudioInput(4),
    '-itsoffset',
    '1',
    ...flashingVideoInput(3),
    ...encodeOptions,
  )
  const { result, flashes, beeps } = await make(input)
  expect(result.durationMs / 1000).toBeCloseTo(4, 1)
  expect(flashes()).toEqual(near([2, 3]))
  expect(beeps()).toEqual(near([1, 2, 3]))
})

const stream = (name: string, size: string, sound = ['-c:a', 'aac'], picture = encodeOptions) =>
  write(name, ...flashingVideoInput(3, size), ...beepingAudioInput(3), ...picture, ...sound, '-f', 'mpegts')

test.each([
  { name: 'the clock restarts', size: '96x64' },
  { name: 'the frame size changes', size: '192x128' },
  { name: 'width and height are exchanged', size: '64x96' },
])('a film in which $name in the middle stays in sync', async ({ name, size }) => {
  const parts = [stream(`${name}-1.ts`, '96x64'), stream(`${name}-2.ts`, size)]
  const { result, flashes, beeps } = await make(joined(`${name}.ts`, ...parts))
  expect(Math.abs(result.durationMs - 6000)).toBeLessThanOrEqual(80)
  expect(result).toMatchObject({ width: 96, height: 64 })
  expect(flashes()).toEqual(near([1, 2, 4, 5]))
  expect(beeps()).toEqual(near([1, 2, 4, 5]))
})

const fields = ['-vf', 'setfield=tff', '-flags', '+ildct+ilme', '-pix_fmt', 'yuv420p', '-g', '25']
test.each([
  { name: 'MPEG-2', codec: [...fields, '-c:v', 'mpeg2video'], sizes: ['96x64', '192x128', '96x64'] },
  { name: 'H.264', codec: [...fields, '-c:v', 'libx264', '-x264opts', 'tff=1'], sizes: ['96x64', '192x128'] },
  {
    name: 'another aspect ratio',
    codec: [...fields, '-c:v', 'mpeg2video'],
    sizes: ['96x64', '64x96', '128x96'],
  },
])(
  'an interlaced film whose size changes in the middle stays in sync: $name',
  async ({ name, codec, sizes }) => {
    const parts = sizes.map((size, at) => {
      const inputs = [...flashingVideoInput(6, size), ...beepingAudioInput(6), ...codec]
      return write(`fields ${name}-${at}.ts`, ...inputs, '-c:a', 'mp2', '-f', 'mpegts')
    })
    const { result, flashes, beeps } = await make(joined(`fields ${name}.ts`, ...parts))
    const seconds = sizes.flatMap((_, part) => [1, 2, 3, 4, 5].map((second) => 6 * part + second))
    expect(Math.abs(result.durationMs - 6000 * sizes.length)).toBeLessThanOrEqual(120)
    expect(flashes()).toEqual(near(seconds))
    expect(beeps()).toEqual(near(seconds))
  },
)

test.each([
  { codec: 'ac3', rates: [48_000, 48_000, 48_000] },
  { codec: 'eac3', rates: [48_000, 48_000, 48_000] },
  { codec: 'mp2', rates: [48_000, 48_000, 48_000] },
  { codec: 'ac3', rates: [44_100, 48_000, 32_000] },
  { codec: 'aac', rates: [48_000, 22_050, 44_100] },
])(
  'joined recordings with audio in $codec at $rates Hz play one after the other',
  async ({ codec, rates }) => {
    const name = `${codec}-${rates.join('-')}`
    const parts = rates.map((rate, at) =>
      stream(`${name}-${at}.ts`, '96x64', ['-c:a', codec, '-ar', String(rate)]),
    )
    const { result, flashes, beeps } = await make(joined(`${name}.ts`, ...parts))
    expect(Math.abs(result.durationMs - 9000)).toBeLessThanOrEqual(120)
    expect(flashes()).toEqual(near([1, 2, 4, 5, 7, 8]))
    expect(beeps()).toEqual(near([1, 2, 4, 5, 7, 8]))
  },
)

test('a pause in the audio of one of two joined recordings remains', async () => {
  const pause = ['-af', "volume='not(between(t,1.5,4.5))':eval=frame,aselect='not(between(t,1.5,4.5))'"]
  const sound = [...pause, '-c:a', 'ac3', '-f', 'mpegts']
  const first = write(
    'pause.ts',
    ...flashingVideoInput(6),
    ...beepingAudioInput(6),
    ...encodeOptions,
    ...sound,
  )
  const { flashes, beeps } = await make(
    joined('pauses.ts', first, stream('after.ts', '96x64', ['-c:a', 'ac3'])),
  )
  expect(flashes()).toEqual(near([1, 2, 3, 4, 5, 7, 8]))
  expect(beeps()).toEqual(near([1, 5, 7, 8]))
})

const mpeg2 = ['-pix_fmt', 'yuv420p', '-c:v', 'mpeg2video', '-g', '25']
test.each([
  {
    name: 'audio codec',
    first: stream,
    second: (name: string, size: string) => stream(name, size, ['-c:a', 'ac3']),
  },
  {
    name: 'video codec',
    first: (name: string, size: string) => stream(name, size, undefined, mpeg2),
    second: stream,
  },
  {
    name: 'tracks',
    first: stream,
    second: (name: string, size: string) =>
      stream(name, size, ['-c:a', 'aac', '-streamid', '0:300', '-streamid', '1:301']),
  },
])(
  'a film that changes its $name in the middle is refused because of the change',
  async ({ name, first, second }) => {
    const parts = [first(`${name}-first.ts`, '96x64'), second(`${name}-second.ts`, '96x64')]
    await expect(make(joined(`other ${name}.ts`, ...parts))).rejects.toMatchObject({
      reason: { key: 'codecChanges' },
    })
  },
)

const fragmented = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof']
const toPipe = (format: string) => ['-f', format, 'pipe:1']
test.each([
  { name: 'mkv', note: 'with a length', more: ['-c:a', 'flac'] },
  { name: 'mkv', note: 'of unknown length', more: ['-c:a', 'flac', ...toPipe('matroska')] },
  {
    name: 'webm',
    note: 'with a length',
    more: ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'],
  },
  {
    name: 'webm',
    note: 'from a live stream',
    more: ['-c:v', 'libvpx', '-c:a', 'libopus', '-live', '1', ...toPipe('webm')],
  },
  { name: 'mp4', note: 'with one index', more: ['-c:a', 'aac'] },
  { name: 'mp4', note: 'in fragments', more: ['-c:a', 'aac', ...fragmented] },
])('joined recordings in $name $note are refused as several recordings', async ({ name, note, more }) => {
  const inputs = [...flashingVideoInput(3), ...beepingAudioInput(3), ...encodeOptions, ...more]
  const first = join(root, `first ${note}.${name}`)
  if (more.includes('pipe:1')) writeFileSync(first, ffmpeg(...inputs))
  else ffmpeg(...inputs, first)
  expect(Math.abs((await make(first)).result.durationMs - 3000)).toBeLessThanOrEqual(80)
  await expect(make(joined(`joined ${note}.${name}`, first, first))).rejects.toMatchObject({
    reason: { key: 'joined' },
  })
})

test('a fragmented recording whose index is repeated in the middle is accepted as one recording', async () => {
  const input = write(
    'fragments.mp4',
    ...flashingVideoInput(4),
    ...beepingAudioInput(4),
    ...encodeOptions,
    ...fragmented,
  )
  const bytes = readFileSync(input)
  const first = bytes.indexOf('moof') - 4
  const third = bytes.indexOf('moof', bytes.indexOf('moof', first + 8) + 4) - 4
  const repeated = join(root, 'repeated.mp4')
  writeFileSync(
    repeated,
    Buffer.concat([bytes.subarray(0, third), bytes.subarray(0, first), bytes.subarray(third)]),
  )
  const { result, flashes, beeps } = await make(repeated)
  expect(Math.abs(result.durationMs - 4000)).toBeLessThanOrEqual(80)
  expect(flashes()).toEqual(near([1, 2, 3]))
  expect(beeps()).toEqual(near([1, 2, 3]))
})

test('a film whose audio channels change in the middle stays in sync', async () => {
  const parts = [6, 2].map((channels) => write(`${channels}.ac3`, ...beepingAudioInput(3, channels)))
  const sound = ['-i', joined('both.ac3', ...parts), '-c:a', 'copy']
  const { result, flashes, beeps } = await make(
    write('channels.ts', ...flashingVideoInput(6), ...sound, ...encodeOptions, '-f', 'mpegts'),
  )
  expect(Math.abs(result.durationMs - 6000)).toBeLessThanOrEqual(80)
  expect(flashes()).toEqual(near([1, 2, 3, 4, 5]))
  expect(beeps()).toEqual(near([1, 2, 4, 5]))
})

test('audio that begins long after the video keeps its position', async () => {
  const both = [...flashingVideoInput(9, '64x64'), '-itsoffset', '7', ...beepingAudioInput(2)]
  const { result, beeps } = await make(
    write('late-sound.ts', ...both, ...encodeOptions, '-c:a', 'aac', '-f', 'mpegts'),
  )
  expect(result.hasAudio).toBe(true)
  expect(beeps()).toEqual(near([8]))
})

test('audio with many lost packets stays in sync', async () => {
  const lost = ['-af', "asetnsamples=n=960,aselect='mod(n,8)'", '-c:a', 'pcm_s16le']
  const { flashes, beeps } = await make(
    write('lost.mkv', ...flashingVideoInput(5), ...beepingAudioInput(5), ...lost, ...encodeOptions),
  )
  expect(flashes()).toEqual(near([1, 2, 3, 4]))
  expect(beeps()).toEqual(near([1, 2, 3, 4]))
})

test('a recording with bursts of 60 frames a second is converted at half of that rate', async () => {
  const bursts = ['-vf', "select='lt(t,1)+not(mod(n,60))'"]
  const moving = lavfi('testsrc=size=96x64:rate=60:duration=5')
  expect((await make(write('bursts.mkv', ...moving, ...bursts, ...encodeOptions))).rate).toBe(30)
})

test.each([
  { declared: { num: 51, den: 5 }, made: { num: 25_000, den: 1000 } },
  { declared: { num: 24_000, den: 1001 }, made: { num: 24_000, den: 1001 } },
  { declared: { num: 0, den: 0 }, made: { num: 25_000, den: 1000 } },
])(
  'a film of 25 frames a second that ends with a still is converted at $made.num/$made.den if its container declares $declared.num/$declared.den',
  ({ declared, made: expected }) => {
    const collected = collectTimes()
    collected.addLine('#tb 0: 1/1000')
    for (let at = 0; at <= 2000; at += 40) collected.addLine(`0, ${at}, ${at}, 40, 100, 0x0`)
    collected.addLine('0, 5000, 5000, 40, 100, 0x0')
    const times = collected.times()
    expect(times && chooseFrameRate(times, declared)).toEqual(expected)
  },
)

test.each([
  { rate: '25/2', made: 25 },
  { rate: '15/2', made: 15 },
  { rate: '40/3', made: 40 / 3 },
])('a film of $rate frames a second shows each frame on time', async ({ rate, made: expected }) => {
  // The source flashes in its first frame at or after each second, and so must the conversion.
  const [num = 1, den = 1] = rate.split('/').map(Number)
  const step = den / num
  const grid = [1, 2, 3].map((second) => Math.ceil(second / step - 1e-6) * step)
  const lit = `color=black:size=96x64:rate=${rate}:duration=4,drawbox=color=white:t=fill:enable='gte(t,0.9)*lt(mod(t,1),${step - 0.001})'`
  const film = await make(
    write(`rate-${expected}.mkv`, ...lavfi(lit), ...beepingAudioInput(4), ...encodeOptions),
  )
  expect(film.rate).toBeCloseTo(expected, 2)
  expect(film.flashes()).toEqual(grid.map((second) => expect.closeTo(second, 2)))
  expect(film.beeps()).toEqual(near([1, 2, 3]))
})

test('frames after a frame that lasts for seconds are shown on time', async () => {
  const still = ['-vf', "select='lt(t,1.2)+gte(t,2.8)'"]
  const uneven = write(
    'uneven.mkv',
    ...flashingVideoInput(5),
    ...beepingAudioInput(5),
    ...still,
    ...encodeOptions,
  )
  // MP4 states the duration of each frame.
  const { result, flashes, beeps } = await make(write('uneven.mp4', '-i', uneven, '-c', 'copy'))
  expect(result.durationMs).toBe(5000)
  expect(flashes()).toEqual(near([1, 3, 4]))
  expect(beeps()).toEqual(near([1, 2, 3, 4]))
})
