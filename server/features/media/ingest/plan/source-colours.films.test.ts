import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDolbyVision } from '#server/testing/media/add-dolby-vision.ts'
import { makeTestVideo, ffmpeg, programs, streamFields } from '#server/testing/media/test-media.ts'
import { probe } from '#server/features/media/ingest/convert/probe.ts'
import { transcode } from '#server/features/media/ingest/convert/transcode.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-colours-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

let runs = 0
/** Converts a film. Returns the playlists of its renditions, and its poster. */
async function make(input: string, ffmpegPath = programs.ffmpegPath) {
  const folder = join(root, `out-${runs++}`)
  mkdirSync(folder)
  const { signal } = new AbortController()
  await transcode({
    programs: { ...programs, ffmpegPath },
    input,
    folder,
    niceness: 0,
    signal,
    onProgress: () => {},
  })
  const media = join(folder, 'media')
  const renditions = readdirSync(media).filter((name) => /^v\d$/.test(name))
  return {
    renditions: renditions.map((name) => join(media, name, 'index.m3u8')),
    poster: join(media, 'poster.webp'),
  }
}

/** Returns the colour in the middle of the frame, as a browser shows it. */
function shown(path: string, second = 0): number[] {
  const read = 'crop=16:16,scale=1:1:flags=area:in_color_matrix=bt709:in_range=tv,format=rgb24'
  const from = ['-i', path, '-ss', String(second), '-frames:v', '1']
  return [...ffmpeg(...from, '-vf', read, '-f', 'rawvideo', 'pipe:1')]
}

const within = (values: readonly number[], expected: readonly number[], most: number) =>
  expect(
    values.map((value, at) => Math.abs(value - (expected[at] ?? NaN)) <= most),
    values.join(),
  ).toEqual(expected.map(() => true))

/** Checks that the poster and all renditions show a colour, and that the renditions are labelled as BT.709. */
async function expectColour(
  { renditions, poster }: Awaited<ReturnType<typeof make>>,
  expected: readonly number[],
) {
  expect(renditions.length).toBeGreaterThan(1)
  for (const rendition of renditions) {
    within(shown(rendition), expected, 4)
    const fields = 'pix_fmt,color_range,color_space,color_transfer,color_primaries'
    expect(streamFields(rendition, 'v:0', fields)).toEqual(['yuv420p', 'tv', 'bt709', 'bt709', 'bt709'])
  }
  const { channels } = await sharp(poster).stats()
  within(
    channels.map(({ mean }) => mean),
    expected,
    6,
  )
}

const green = [14, 222, 4]

/** Creates a completely green film in another colour encoding. */
function draw(name: string, how: { size?: string; scale?: string; format: string; codec: string[] }): string {
  const path = join(root, `${name}.mkv`)
  const colour = `color=0x0EDE04:size=${how.size ?? '640x360'}:rate=10:duration=1,format=rgb24`
  const filters = [...(how.scale ? [`scale=${how.scale}:flags=accurate_rnd`] : []), `format=${how.format}`]
  ffmpeg('-f', 'lavfi', '-i', colour, '-vf', filters.join(','), ...how.codec, path)
  return path
}
const ffv1 = (matrix: string, range: string) => ['-c:v', 'ffv1', '-colorspace', matrix, '-color_range', range]

test.each([
  { name: 'RGB', format: 'rgb24', codec: ['-c:v', 'libx264rgb', '-crf', '0'] },
  { name: 'RGB of images', format: 'rgb24', codec: ['-c:v', 'png'] },
  {
    name: 'BT.601 in full range',
    scale: 'out_color_matrix=bt601:out_range=pc',
    format: 'yuv444p',
    codec: ffv1('smpte170m', 'pc'),
  },
  {
    name: 'BT.601 in limited range',
    scale: 'out_color_matrix=bt601:out_range=tv',
    format: 'yuv420p',
    codec: ffv1('smpte170m', 'tv'),
  },
  {
    name: 'BT.709 in full range',
    scale: 'out_color_matrix=bt709:out_range=pc',
    format: 'yuv420p',
    codec: ffv1('bt709', 'pc'),
  },
  {
    name: 'BT.709 in limited range and ten bits',
    scale: 'out_color_matrix=bt709:out_range=tv',
    format: 'yuv422p10',
    codec: ffv1('bt709', 'tv'),
  },
  {
    name: 'BT.601, assumed for a small video without a label',
    scale: 'out_color_matrix=bt601:out_range=tv',
    format: 'yuv420p',
    codec: ['-c:v', 'ffv1'],
  },
  {
    name: 'BT.709, assumed for a large video without a label',
    size: '1280x720',
    scale: 'out_color_matrix=bt709:out_range=tv',
    format: 'yuv420p',
    codec: ['-c:v', 'ffv1'],
  },
])('a film in $name has the same colours in every rendition', async ({ name, ...how }) => {
  await expectColour(await make(draw(name, how)), green)
})

/**
 * Creates a film of one colour. zscale converts it to other primaries and another matrix, and labels it accordingly.
 */
function drawWide(
  name: string,
  how: {
    colour: string
    matrix: string
    primaries: string
    transfer?: string
    range?: string
    format?: string
  },
): string {
  const { colour, matrix, primaries, transfer = 'bt709', range = 'tv', format = 'yuv420p' } = how
  const path = join(root, `${name}.mkv`)
  const filters = [
    `zscale=min=gbr:rin=full:pin=bt709:tin=${transfer}:m=gbr:r=full:p=bt709:t=${transfer}`,
    `zscale=min=gbr:rin=full:pin=bt709:tin=${transfer}:m=gbr:r=full:p=bt709:t=linear:npl=100`,
    'format=gbrpf32le',
    `zscale=p=${primaries}`,
    `zscale=t=${transfer}:m=${matrix}:r=${range}`,
    `format=${matrix === 'gbr' ? 'gbrp' : format}`,
    `setparams=color_primaries=${primaries}:color_trc=${transfer}:colorspace=${matrix}:range=${range}`,
  ]
  const source = `color=${colour}:size=640x360:rate=10:duration=1,format=gbrp`
  const labels = ['-color_primaries', primaries, '-color_trc', transfer]
  const coding = matrix === 'gbr' ? ['-c:v', 'libx264rgb', '-crf', '0'] : ffv1(matrix, range)
  ffmpeg('-f', 'lavfi', '-i', source, '-vf', filters.join(','), ...coding, ...labels, path)
  return path
}

const red = { colour: '0xC82828', wanted: [200, 40, 40] }
test.each([
  { name: 'YCgCo', colour: '0x0EDE04', wanted: green, matrix: 'ycgco', primaries: 'bt709' },
  {
    name: 'YCgCo in full range',
    colour: '0x0EDE04',
    wanted: green,
    matrix: 'ycgco',
    primaries: 'bt709',
    range: 'pc',
  },
  { name: 'BT.2020 with its own matrix', ...red, matrix: 'bt2020nc', primaries: 'bt2020' },
  { name: 'BT.2020 with the matrix of BT.709', ...red, matrix: 'bt709', primaries: 'bt2020' },
  { name: 'BT.2020 with the matrix of BT.601', ...red, matrix: 'smpte170m', primaries: 'bt2020' },
  { name: 'BT.2020 of constant luminance', ...red, matrix: 'bt2020c', primaries: 'bt2020' },
  { name: 'Display P3', ...red, matrix: 'bt709', primaries: 'smpte432' },
  {
    name: 'Display P3 with the transfer of sRGB',
    ...red,
    matrix: 'smpte170m',
    primaries: 'smpte432',
    transfer: 'iec61966-2-1',
  },
  { name: 'Display P3 in full range', ...red, matrix: 'bt709', primaries: 'smpte432', range: 'pc' },
  { name: 'Display P3 in RGB', ...red, matrix: 'gbr', primaries: 'smpte432', range: 'pc' },
  { name: 'DCI-P3', ...red, matrix: 'bt709', primaries: 'smpte431' },
])(
  'a film in $name is converted to BT.709 in every rendition',
  async ({ name, wanted: expected, ...how }) => {
    await expectColour(await make(drawWide(name, how)), expected)
  },
)

const none = { colour_primaries: 2, transfer_characteristics: 2, matrix_coefficients: 2 }
test.each([
  {
    name: 'YCgCo',
    colour: '0x0EDE04',
    wanted: green,
    matrix: 'ycgco',
    primaries: 'bt709',
    label: { matrix_coefficients: 8 },
  },
  { name: 'Display P3', ...red, matrix: 'smpte170m', primaries: 'smpte432', label: { colour_primaries: 12 } },
])('a film in $name keeps its colours even if it has no other label', async ({ name, label, ...how }) => {
  const input = join(root, `${name} only.ts`)
  const labels = Object.entries({ ...none, ...label }).map((entry) => entry.join('='))
  const coding = ['-c:v', 'libx264', '-bsf:v', `h264_metadata=${labels.join(':')}`, '-f', 'mpegts']
  ffmpeg('-i', drawWide(`${name} with all labels`, how), ...coding, input)
  await expectColour(await make(input), how.wanted)
})

test.each([
  { name: 'PQ', labels: 'transfer_characteristics=16' },
  { name: 'HLG', labels: 'transfer_characteristics=18' },
])('a film in $name is converted even if it has no other label', async ({ name, labels }) => {
  const codec = ['-c:v', 'libx264', '-bsf:v', `h264_metadata=${labels}`, '-f', 'mpegts']
  const input = draw(`${name} only`, { format: 'yuv420p', codec })
  expect((await make(input)).renditions.length).toBeGreaterThan(1)
})

test('a film is converted even if its container and its video name different matrices', async () => {
  const labels = ['-colorspace', 'bt709', '-bsf:v', 'h264_metadata=matrix_coefficients=8']
  const input = draw('two matrices', { format: 'yuv420p', codec: ['-c:v', 'libx264', ...labels] })
  expect((await make(input)).renditions.length).toBeGreaterThan(1)
})

test.each([
  { transfer: 'arib-std-b67', colour: '0xDC2850' },
  { transfer: 'smpte2084', colour: '0xA05078' },
])('HDR in $transfer has the same result whatever matrix its label names', async ({ transfer, colour }) => {
  const how = { colour, primaries: 'bt2020', transfer, format: 'yuv420p10' }
  const [own, other] = await Promise.all(
    ['bt2020nc', 'bt709'].map((matrix) => make(drawWide(`${transfer} ${matrix}`, { ...how, matrix }))),
  )
  const expected = shown(own?.renditions[0] ?? '')
  expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(25)
  for (const rendition of other?.renditions ?? []) within(shown(rendition), expected, 4)
})

/** Joins transport streams of a green film, each with its own size, colours and labels. */
function joinStreams(name: string, parts: { size?: string; scale: string; labels: string }[]): string {
  const paths = parts.map(({ size = '640x360', scale, labels }, at) => {
    const path = join(root, `${name}-${at}.ts`)
    const colour = `color=0x0EDE04:size=${size}:rate=25:duration=2,format=rgb24`
    const filters = `scale=${scale}:flags=accurate_rnd,format=yuv420p`
    const coding = ['-c:v', 'libx264', '-g', '25', '-x264-params', labels]
    ffmpeg('-f', 'lavfi', '-i', colour, '-vf', filters, ...coding, '-f', 'mpegts', path)
    return path
  })
  const joined = join(root, `${name}.ts`)
  writeFileSync(joined, Buffer.concat(paths.map((path) => readFileSync(path))))
  return joined
}

const bt709 = { scale: 'out_color_matrix=bt709:out_range=tv', labels: 'fullrange=off:colormatrix=bt709' }
const bt709Full = { scale: 'out_color_matrix=bt709:out_range=pc', labels: 'fullrange=on:colormatrix=bt709' }
const bt601 = { scale: 'out_color_matrix=bt601:out_range=tv', labels: 'fullrange=off:colormatrix=smpte170m' }
const unlabelled = { scale: 'out_color_matrix=bt601:out_range=tv', labels: 'fullrange=off' }
test.each([
  { name: 'full to limited range', parts: [bt709Full, bt709] },
  { name: 'limited to full range', parts: [bt709, bt709Full] },
  { name: 'BT.709 to BT.601', parts: [bt709, bt601] },
  { name: 'BT.709 in full range to BT.601', parts: [bt709Full, bt601] },
  { name: 'BT.601 to BT.709 in full range', parts: [bt601, bt709Full] },
  { name: 'no label to BT.709', parts: [unlabelled, bt709] },
])('a film that changes from $name in the middle keeps its colours', async ({ name, parts }) => {
  const film = await make(joinStreams(name, parts))
  await expectColour(film, green)
  for (const rendition of film.renditions) within(shown(rendition, 3.5), green, 4)
})

test('a film that changes from full to limited range is converted even if ffmpeg has no zscale', async () => {
  const path = join(root, 'ffmpeg-without-zscale')
  const hide = `"${programs.ffmpegPath}" "$@" | sed 's/ zscale / hidden /'`
  const script = `#!/bin/sh\ncase "$*" in *zscale=*) exit 1;; *-filters) ${hide};; *) exec "${programs.ffmpegPath}" "$@";; esac\n`
  writeFileSync(path, script, { mode: 0o755 })
  await expectColour(await make(joinStreams('stale format', [bt709Full, bt709]), path), green)
})

test('HD without a label keeps its colours if labelled SD follows it', async () => {
  const unlabelledHd = { ...bt709, size: '1280x720', labels: 'fullrange=off:keyint=3' }
  const film = await make(joinStreams('unlabelled HD', [unlabelledHd, { ...bt601, size: '720x576' }]))
  for (const rendition of film.renditions) within(shown(rendition), green, 4)
})

test('a transport stream with HDR10 metadata is converted', async () => {
  const input = join(root, 'hdr10.ts')
  const display = 'G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)'
  const labels = `colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:master-display=${display}:max-cll=1000,400`
  const colour = ['-f', 'lavfi', '-i', 'color=gray:size=640x360:rate=25:duration=1']
  const coding = ['-pix_fmt', 'yuv420p10', '-c:v', 'libx265', '-x265-params', labels]
  ffmpeg(...colour, ...coding, '-f', 'mpegts', input)
  expect((await make(input)).renditions.length).toBeGreaterThan(1)
})

const pq = { ...bt709, labels: 'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc' }
const bt2020 = { ...bt709, labels: 'colorprim=bt709:transfer=bt709:colormatrix=bt2020nc' }
test.each([
  { name: 'SDR to HDR', parts: [bt709, pq] },
  { name: 'HDR to SDR', parts: [pq, bt709] },
  { name: 'BT.709 to BT.2020', parts: [bt709, bt2020] },
])(
  'a film that changes from $name in the middle is refused because of the change',
  async ({ name, parts }) => {
    await expect(make(joinStreams(name, parts))).rejects.toMatchObject({ reason: { key: 'colourChanges' } })
  },
)

test.each([
  { matrix: 'chroma-derived-nc', number: 12 },
  { matrix: 'chroma-derived-c', number: 13 },
  { matrix: 'ictcp', number: 14 },
])('a film with the matrix $matrix is refused because of the matrix', async ({ matrix, number }) => {
  const input = draw(matrix, {
    format: `yuv420p10,setparams=colorspace=${number}`,
    codec: ffv1(String(number), 'tv'),
  })
  const reason = { key: 'colourMatrix', matrix }
  await expect(probe(programs.ffprobePath, input)).rejects.toMatchObject({ reason })
})

test.each([
  { profile: 5, compatibility: 0 },
  { profile: 10, compatibility: 0 },
])(
  'Dolby Vision of profile $profile without a compatible base layer is refused',
  async ({ profile, compatibility }) => {
    const input = join(root, `dolby-vision-${profile}.mp4`)
    makeTestVideo(input, { seconds: 1 })
    addDolbyVision(input, profile, compatibility)
    await expect(probe(programs.ffprobePath, input)).rejects.toMatchObject({ reason: { key: 'dolbyVision' } })
  },
)

test.each([
  { profile: 8, compatibility: 1 },
  { profile: 8, compatibility: 4 },
])(
  'Dolby Vision of profile $profile with a compatible base layer ($compatibility) is accepted',
  async ({ profile, compatibility }) => {
    const input = join(root, `compatible-${compatibility}.mp4`)
    makeTestVideo(input, { seconds: 1 })
    addDolbyVision(input, profile, compatibility)
    expect(await probe(programs.ffprobePath, input)).toMatchObject({ container: 'mov' })
  },
)
