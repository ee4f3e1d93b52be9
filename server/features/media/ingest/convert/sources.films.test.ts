import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  brightnessProfile,
  ffmpeg,
  loudnessOf,
  packetFields,
  programs,
  streamFields,
} from '#server/testing/media/test-media.ts'
import { rotateMp4 } from '#server/testing/media/rotate-mp4.ts'
import { transcode } from './transcode.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-sources-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

let runs = 0
async function make(input: string, using = programs) {
  const folder = join(root, `out-${runs++}`)
  mkdirSync(folder)
  const { signal } = new AbortController()
  const result = await transcode({
    programs: using,
    input,
    folder,
    niceness: 0,
    signal,
    onProgress: () => {},
  })
  const media = join(folder, 'media')
  const read = (name: string) => readFileSync(join(media, name), 'utf8')
  return { result, read, top: join(media, 'v0/index.m3u8'), sound: join(media, 'a/index.m3u8') }
}

const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph]
const picture = (seconds = 2) => lavfi(`testsrc=size=160x90:rate=25:duration=${seconds}`)
const inputOf = (name: string, ...args: string[]) => {
  const path = join(root, name)
  ffmpeg(...args, '-pix_fmt', 'yuv420p', path)
  return path
}

describe('audio', () => {
  /** Generates audio that resembles speech: two seconds of sound, then a second of silence. */
  const voice = (volume: number, seconds = 9) =>
    lavfi(`sine=frequency=300:duration=${seconds},volume='${volume}*lt(mod(t,3),2)':eval=frame`)

  test.each([
    ['whispered', 0.15],
    ['loud', 7.5],
  ])('that is %s is converted to −16 LUFS', async (name, volume) => {
    const input = inputOf(`${name}.mkv`, ...picture(9), ...voice(volume), '-c:a', 'flac')
    expect(Math.abs(loudnessOf(input).integrated + 16)).toBeGreaterThan(5)
    const { sound } = await make(input)
    const { integrated, peak } = loudnessOf(sound)
    expect(integrated).toBeGreaterThan(-17)
    expect(integrated).toBeLessThan(-15)
    expect(peak).toBeLessThanOrEqual(-1)
  })

  test('of a quiet film with one bang gets louder without clipping', async () => {
    const bang = '0.03+0.9*between(t,4,4.02)'
    const tone = lavfi(`aevalsrc='(${bang})*sin(2*PI*440*t)':s=48000:d=9`)
    const { sound } = await make(inputOf('bang.mkv', ...picture(9), ...tone, '-c:a', 'flac'))
    const { integrated, peak } = loudnessOf(sound)
    expect(integrated).toBeGreaterThan(-17)
    expect(peak).toBeLessThanOrEqual(-1)
  })

  test('that is completely silent remains silent', async () => {
    const { sound, result } = await make(
      inputOf('mute.mkv', ...picture(), ...lavfi('anullsrc,atrim=duration=2'), '-c:a', 'flac'),
    )
    expect(result.hasAudio).toBe(true)
    expect(loudnessOf(sound).integrated).toBe(-70)
  })

  test('in 5.1 becomes two channels, both of which contain the centre channel', async () => {
    const middle = lavfi('aevalsrc=0|0|0.2*sin(2*PI*440*t)|0|0|0:c=5.1:s=48000:d=3')
    const { sound } = await make(inputOf('surround.mkv', ...picture(3), ...middle, '-c:a', 'flac'))
    expect(streamFields(sound, 'a:0', 'channels')).toEqual(['2'])
    const samples = ffmpeg('-i', sound, '-f', 's16le', 'pipe:1')
    const loudest = (channel: number) => {
      let most = 0
      for (let at = 2 * channel; at < samples.length; at += 4) most = Math.max(most, samples.readInt16LE(at))
      return most
    }
    expect(loudest(0)).toBeGreaterThan(3000)
    expect(loudest(1)).toBeCloseTo(loudest(0), -3)
  })

  test('that is shorter than the video is extended to its duration', async () => {
    const { sound, result } = await make(
      inputOf('shorter.mkv', ...picture(4), ...lavfi('sine=duration=1'), '-c:a', 'flac'),
    )
    expect(result.durationMs).toBe(4000)
    const ends = packetFields(sound, 'pts_time').map(parseFloat)
    expect(Math.max(...ends)).toBeGreaterThan(3.9)
    expect(Math.max(...ends)).toBeLessThan(4.1)
  })

  test('marked as default is used instead of the first one', async () => {
    const both = [...picture(3), ...lavfi('sine=duration=3'), ...lavfi('anullsrc,atrim=duration=3')]
    const tracks = ['-map', '0', '-map', '2', '-map', '1', '-c:a', 'flac']
    const input = inputOf(
      'two.mkv',
      ...both,
      ...tracks,
      '-disposition:a:0',
      '0',
      '-disposition:a:1',
      'default',
    )
    expect(loudnessOf((await make(input)).sound).integrated).toBeGreaterThan(-20)
  })
})

test('unreadable audio is noted if another track is used', async () => {
  const sounds = [...lavfi('sine=duration=2'), ...lavfi('sine=duration=2')]
  const codecs = ['-c:a:0', 'flac', '-c:a:1', 'libopus', '-disposition:a:0', 'default']
  const input = inputOf(
    'other-sound.mkv',
    ...picture(),
    ...sounds,
    '-map',
    '0',
    '-map',
    '1',
    '-map',
    '2',
    ...codecs,
  )
  const bytes = readFileSync(input)
  bytes.write('A_XYZW', bytes.indexOf('A_FLAC'), 'latin1')
  writeFileSync(input, bytes)
  const { result, sound } = await make(input)
  expect(result.notes).toEqual([{ key: 'soundTracks', tracks: '1' }])
  expect(loudnessOf(sound).integrated).toBeGreaterThan(-20)
})

describe('a video stream', () => {
  const two = (...more: string[]) => [
    ...lavfi('color=black:size=160x90:rate=25:duration=1'),
    ...lavfi('color=white:size=160x90:rate=25:duration=1'),
    '-map',
    '0',
    '-map',
    '1',
    ...more,
  ]
  const secondFirst = ['-disposition:v:0', '0', '-disposition:v:1', 'default']

  test('marked as default is used instead of the first one', async () => {
    const { top, result } = await make(inputOf('two-pictures.mkv', ...two(...secondFirst)))
    expect(brightnessProfile(top, 1).row[0]).toBeGreaterThan(200)
    expect(result.notes).toEqual([])
  })

  test.each(['attached_pic', 'attached_pic+default'])(
    'that is a cover is never used, whatever its position and default flag (%s)',
    async (disposition) => {
      const film = [
        ...lavfi('color=white:size=160x90:rate=25:duration=0.04'),
        ...picture(),
        '-map',
        '0',
        '-map',
        '1',
      ]
      const cover = ['-c:v:0', 'mjpeg', '-disposition:v:0', disposition, '-disposition:v:1', '0']
      const { result } = await make(inputOf(`${disposition}.mp4`, ...film, ...cover))
      expect(result.durationMs).toBe(2000)
    },
  )

  test('that is unreadable is noted if another track is used', async () => {
    const input = inputOf('other-picture.mkv', ...two('-c:v:0', 'mpeg4', '-c:v:1', 'libx264'))
    const bytes = readFileSync(input)
    bytes.write('V_MPEG4/XYZ/ASP', bytes.indexOf('V_MPEG4/ISO/ASP'), 'latin1')
    writeFileSync(input, bytes)
    const { top, result } = await make(input)
    expect(brightnessProfile(top, 1).row[0]).toBeGreaterThan(200)
    expect(result.notes).toEqual([{ key: 'pictureTracks', tracks: '1' }])
  })

  /** Generates a gradient that gets darker to the right and downwards, so that a rotation is visible. */
  const shaded = (width: number, height: number) =>
    `nullsrc=size=${width}x${height}:rate=25:duration=1,format=gray,geq=lum='235-120*X/W-80*Y/H'`
  const falls = (values: number[]) => values.every((value, at) => at === 0 || value < (values[at - 1] ?? 0))
  const rises = (values: number[]) => falls(values.toReversed())

  test.each([
    { degrees: 90, shown: '180x320', row: rises, column: falls },
    { degrees: 180, shown: '320x180', row: rises, column: rises },
    { degrees: 270, shown: '180x320', row: falls, column: rises },
  ])('rotated by $degrees° is shown upright, as $shown', async ({ degrees, shown, row, column }) => {
    const input = inputOf(`turned-${degrees}.mp4`, ...lavfi(shaded(320, 180)))
    rotateMp4(input, degrees)
    const { top, read } = await make(input)
    expect(read('master.m3u8')).toContain(`RESOLUTION=${shown}`)
    const seen = brightnessProfile(top, 4)
    expect([row(seen.row), column(seen.column)]).toEqual([true, true])
  })

  test.each([
    { coded: '161x91', more: [], shown: '160x90' },
    { coded: '91x161', more: [], shown: '90x160' },
    { coded: '160x120', more: ['-aspect', '16:9'], shown: '160x90' },
    { coded: '160x90', more: ['-aspect', '1:1'], shown: '90x90' },
    { coded: '3x5', more: [], shown: '2x4' },
    { coded: '2400x32', more: [], shown: '1920x26' },
    { coded: '32x2400', more: [], shown: '26x1920' },
  ])('of $coded $more is converted to $shown with square pixels', async ({ coded, more, shown }) => {
    const input = join(root, `odd-${coded}-${more.length}.mkv`)
    ffmpeg(
      ...lavfi(`testsrc=size=${coded}:rate=25:duration=1`),
      '-pix_fmt',
      'yuv444p',
      '-c:v',
      'ffv1',
      ...more,
      input,
    )
    const { top } = await make(input)
    const [width, height, dots] = streamFields(top, 'v:0', 'width,height,sample_aspect_ratio')
    expect([`${width}x${height}`, dots]).toEqual([shown, expect.stringMatching(/1:1|N\/A/)])
  })

  test('stored sideways, with a rotation in its container, gets the renditions of an upright film', async () => {
    const input = inputOf('phone.mp4', ...lavfi(shaded(960, 540)))
    rotateMp4(input, 90)
    const { read } = await make(input)
    expect(read('master.m3u8').match(/RESOLUTION=\d+x\d+/g)).toEqual([
      'RESOLUTION=540x960',
      'RESOLUTION=360x640',
    ])
  })

  test('of variable frame rate is converted to a constant rate with a keyframe at the start of each segment, and keeps its duration', async () => {
    const uneven = "select='lt(t,2)*not(mod(n,3))+gte(t,2)*lt(t,4)+gte(t,4)*not(mod(n,5))'"
    const input = join(root, 'uneven.mkv')
    ffmpeg(
      ...lavfi('testsrc=size=160x90:rate=30:duration=6'),
      ...lavfi('sine=duration=6'),
      '-vf',
      uneven,
      input,
    )
    const times = packetFields(input, 'pts_time').map(parseFloat)
    expect(
      new Set(times.slice(1).map((time, at) => (time - (times[at] ?? 0)).toFixed(2))).size,
    ).toBeGreaterThan(2)
    const { top, result } = await make(input)
    const packed = packetFields(top, 'pts_time,flags')
    const steps = packed
      .slice(1)
      .map((line, at) => Math.round(1000 * (parseFloat(line) - parseFloat(packed[at] ?? ''))))
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(1)
    // `forcedKeyframes` in build-ffmpeg-args.ts requests a keyframe at 0, 1, 2, 3 and 4 s, then every 2 s.
    expect(packed.filter((line) => line.includes('K')).map(parseFloat)).toEqual([0, 1, 2, 3, 4])
    expect(Math.abs(result.durationMs - 6000)).toBeLessThan(200)
  })
})

describe('HDR or a wide gamut', () => {
  /**
   * Generates a ten-bit picture whose left and right halves each have one brightness. `left` and `right` are signal
   * levels from 0 to 1, the scale of the transfer function. The ten-bit value of a level is 64 + 876 × level in limited
   * range, and 1023 × level in full range.
   */
  const halves = (left: number, right: number, { cb = 512, cr = 512, range = 'tv' } = {}) =>
    lavfi(
      `nullsrc=size=320x180:rate=25:duration=1,format=yuv420p10,` +
        `geq=lum='${range === 'tv' ? '64+876' : '1023'}*if(lt(X,W/2),${left},${right})':cb=${cb}:cr=${cr}`,
    )
  const write = (name: string, transfer: string, source: string[], range = 'tv') => {
    const input = join(root, `${name}.mkv`)
    // Older ffmpeg builds label the file with the colours of the options, newer builds with the colours of the frames.
    const colours = ['-color_primaries', 'bt2020', '-color_trc', transfer, '-colorspace', 'bt2020nc']
    const frames = `setparams=color_primaries=bt2020:color_trc=${transfer}:colorspace=bt2020nc:range=${range}`
    ffmpeg(...source, '-vf', frames, '-c:v', 'ffv1', ...colours, '-color_range', range, input)
    return input
  }

  test.each([
    // The levels stand for 1 and 1000 cd/m². Without conversion, the results would be 38 and 192 of 255.
    { name: 'PQ', transfer: 'smpte2084', levels: [0.15, 0.7518], seen: [25, 255] },
    // On a display of 1000 cd/m², the levels stand for 15 cd/m² and for 203 cd/m², the reference white of broadcasters.
    { name: 'HLG', transfer: 'arib-std-b67', levels: [0.3, 0.75], seen: [79, 193] },
    { name: 'PQ in full range', transfer: 'smpte2084', levels: [0.15, 0.7518], seen: [25, 255], range: 'pc' },
    {
      name: 'HLG in full range',
      transfer: 'arib-std-b67',
      levels: [0.3, 0.75],
      seen: [79, 193],
      range: 'pc',
    },
  ])('$name becomes standard dynamic range', async ({ name, transfer, levels, seen, range = 'tv' }) => {
    const [left = 0, right = 0] = levels
    const { top } = await make(write(name, transfer, halves(left, right, { range }), range))
    for (const [half, value] of brightnessProfile(top, 2).row.entries())
      expect(Math.abs(value - (seen[half] ?? 0)), `half ${half}: ${value}`).toBeLessThanOrEqual(4)
    const fields = streamFields(top, 'v:0', 'pix_fmt,color_range,color_space,color_transfer,color_primaries')
    expect(fields).toEqual(['yuv420p', 'tv', 'bt709', 'bt709', 'bt709'])
  })

  test('is refused with a readable reason if ffmpeg was built without the filters for it', async () => {
    const lacking = join(root, 'lacking-ffmpeg')
    writeFileSync(lacking, '#!/bin/sh\necho " TSC scale  V->V  Scale."\n', { mode: 0o755 })
    const input = write('refused', 'smpte2084', halves(0.2, 0.4))
    await expect(make(input, { ...programs, ffmpegPath: lacking })).rejects.toThrow(
      'has HDR or other colors that this ffmpeg can’t convert',
    )
  })

  test('keeps its look when wide primaries are converted to the narrower standard gamut', async () => {
    const { top } = await make(write('wide', 'bt709', halves(0.5, 0.5, { cr: 640 })))
    const [red = 0, green = 0, blue = 0] = ffmpeg(
      '-i',
      top,
      '-frames:v',
      '1',
      '-vf',
      'scale=1:1:flags=area',
      '-pix_fmt',
      'rgb24',
      '-f',
      'rawvideo',
      'pipe:1',
    )
    // If the wide colours were read as standard colours, the values would be 185, 110, 128.
    expect(red).toBeGreaterThan(195)
    expect(green).toBeLessThan(100)
    expect(Math.abs(blue - 127)).toBeLessThan(15)
  })
})

describe('embedded captions', () => {
  const srt = (words: string) => `1\n00:00:00,200 --> 00:00:01,500\n${words}\n`
  const tracks = (kind: string, ...languages: [string, string][]) => {
    const files = languages.map(([language, words]) => {
      const path = join(root, `${kind}-${language}.srt`)
      writeFileSync(path, srt(words))
      return path
    })
    const maps = ['-map', '0:v', ...files.flatMap((_, at) => ['-map', String(at + 1)])]
    const names = languages.flatMap(([language], at) => [`-metadata:s:s:${at}`, `language=${language}`])
    return [...picture(), ...files.flatMap((path) => ['-i', path]), ...maps, '-c:s', kind, ...names]
  }

  test.each([
    ['mov_text', 'captioned.mp4'],
    ['srt', 'captioned.mkv'],
    ['ass', 'styled.mkv'],
  ])('of the format %s become WebVTT, one file for each language of the site', async (kind, name) => {
    const input = inputOf(
      name,
      ...tracks(kind, ['eng', 'Hello'], ['ger', 'Grüße'], ['jpn', '今日は'], ['fre', 'Salut']),
    )
    const { captions } = (await make(input)).result
    expect([...captions.keys()].toSorted()).toEqual(['dy', 'en', 'fy'])
    expect(captions.get('dy')).toMatch(/^WEBVTT\n\n00:00:00\.200 --> 00:00:01\.500\nGrüße\n$/)
  })

  test.each([
    ['mov_text', 'marks.mp4'],
    ['srt', 'marks.mkv'],
    ['ass', 'marks.ass.mkv'],
  ])('of the format %s keep all their text', async (kind, name) => {
    const input = inputOf(name, ...tracks(kind, ['eng', 'I <3 you, R&B']))
    const { captions } = (await make(input)).result
    expect(captions.get('en')).toContain('\nI &lt;3 you, R&amp;B\n')
  })

  test('that cannot be shown are noted, with the numbers of their tracks', async () => {
    const languages: [string, string][] = [
      ['eng', 'Hello'],
      ['jpn', '今日は'],
      ['', 'Salut'],
      ['ger', 'Bild'],
    ]
    const input = inputOf('left-out.mkv', ...tracks('srt', ...languages))
    const bytes = readFileSync(input)
    const last = bytes.lastIndexOf('S_TEXT/UTF8')
    bytes.write('S_HDMV/PGS\0', last, 'latin1')
    writeFileSync(input, bytes)
    const { notes, captions } = (await make(input)).result
    expect([...captions.keys()]).toEqual(['en'])
    expect(notes).toEqual([
      { key: 'captionPictures', tracks: '4' },
      { key: 'captionLanguages', tracks: '2, 3' },
    ])
  })
})
