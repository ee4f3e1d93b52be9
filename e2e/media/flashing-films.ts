import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  beepingAudioInput,
  encodeOptions,
  flashingVideoInput as flashes,
  lavfi,
} from '#server/testing/media/flash-and-beep.ts'
import { addDolbyVision } from '#server/testing/media/add-dolby-vision.ts'
import { ffmpeg } from '#server/testing/media/test-media.ts'

/** A video that flashes white and beeps at whole seconds, and the expected result of its import. */
export interface FlashingFilm {
  /** Describes the file, for test names. */
  kind: string
  extension: string
  make(path: string): void
  /** Times of the flashes in seconds; empty for a video without flashes. */
  flashes?: number[]
  beeps?: number[]
  /** Duration in seconds. */
  duration?: number
  /** Colour of all frames. */
  colour?: [red: number, green: number, blue: number]
  /** Message to the operator if the file cannot be used. */
  refusal?: RegExp
}

/** Duration of a flash in seconds: five frames, because a busy machine skips frames. */
const lit = 0.2
const flashing = (seconds: number, size = '96x64') => flashes(seconds, size, lit)
const aac = ['-c:a', 'aac']

/** Writes the file through a pipe, so that its container has no durations. */
const piped = (path: string, ...args: string[]) =>
  writeFileSync(path, ffmpeg(...args, '-f', 'matroska', 'pipe:1'))

/** Appends one MPEG-TS recording to another, like `cat`. The timestamps restart in the middle. */
function joined(path: string, secondSize: string): void {
  const parts = ['96x64', secondSize].map((size) =>
    ffmpeg(...flashing(3, size), ...beepingAudioInput(3), ...encodeOptions, ...aac, '-f', 'mpegts', 'pipe:1'),
  )
  writeFileSync(path, Buffer.concat(parts))
}

export const flashingFilms: readonly FlashingFilm[] = [
  {
    kind: 'not a video',
    extension: 'mp4',
    make: (path) => writeFileSync(path, 'no film'),
    refusal: /(isn’t a readable video|is a text file)/,
  },
  {
    kind: 'Dolby Vision without a compatible base layer',
    extension: 'mp4',
    make(path) {
      ffmpeg(...flashing(2), ...beepingAudioInput(2), ...encodeOptions, ...aac, path)
      addDolbyVision(path, 5, 0)
    },
    refusal: /Dolby Vision/,
  },
  {
    kind: 'a container without a duration',
    extension: 'mkv',
    duration: 4,
    make: (path) => piped(path, ...flashing(4), ...beepingAudioInput(4), ...encodeOptions, '-c:a', 'flac'),
    flashes: [1, 2, 3],
    beeps: [1, 2, 3],
  },
  {
    kind: 'a recording of a browser',
    extension: 'webm',
    duration: 4,
    // Written through a pipe, as browsers record, so the file has no duration.
    make(path) {
      const codecs = ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus', '-f', 'webm', 'pipe:1']
      writeFileSync(path, ffmpeg(...flashing(4), ...beepingAudioInput(4), ...codecs))
    },
    flashes: [1, 2, 3],
    beeps: [1, 2, 3],
  },
  {
    kind: 'captions longer than the video',
    extension: 'mkv',
    duration: 4,
    make(path) {
      const captions = `${path}.srt`
      writeFileSync(captions, '1\n00:00:01,000 --> 00:00:09,000\nHello\n')
      piped(
        path,
        ...flashing(4),
        ...beepingAudioInput(4),
        '-i',
        captions,
        ...encodeOptions,
        '-c:a',
        'flac',
        '-c:s',
        'srt',
      )
    },
    flashes: [1, 2, 3],
    beeps: [1, 2, 3],
  },
  {
    kind: 'a last frame with a long duration',
    extension: 'mkv',
    duration: 5,
    make: (path) =>
      ffmpeg(
        ...flashing(5),
        ...beepingAudioInput(5),
        '-vf',
        "select='lt(t,2.5)'",
        ...encodeOptions,
        '-c:a',
        'flac',
        path,
      ),
    flashes: [1, 2],
    beeps: [1, 2, 3, 4],
  },
  {
    kind: 'timestamps that restart in the middle',
    extension: 'ts',
    duration: 6,
    make: (path) => joined(path, '96x64'),
    flashes: [1, 2, 4, 5],
    beeps: [1, 2, 4, 5],
  },
  {
    kind: 'a frame size that changes in the middle',
    extension: 'ts',
    duration: 6,
    make: (path) => joined(path, '192x128'),
    flashes: [1, 2, 4, 5],
    beeps: [1, 2, 4, 5],
  },
  {
    kind: 'a recording of a browser whose frame size changes',
    extension: 'webm',
    duration: 6,
    make(path) {
      // Both sizes are in one track, as in a recorded call whose other participant turns the phone.
      const parts = ['96x64', '64x96'].map((size, at) => {
        const part = `${path}-${at}.webm`
        const codecs = ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus']
        ffmpeg(...flashing(3, size), ...beepingAudioInput(3), ...codecs, part)
        return part
      })
      const list = `${path}.txt`
      writeFileSync(list, parts.map((part) => `file '${part}'\n`).join(''))
      writeFileSync(
        path,
        ffmpeg('-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy', '-f', 'webm', 'pipe:1'),
      )
    },
    flashes: [1, 2, 4, 5],
    beeps: [1, 2, 4, 5],
  },
  {
    kind: 'a pause in the audio',
    extension: 'mp4',
    duration: 7,
    make: (path) =>
      ffmpeg(
        ...flashing(7),
        ...beepingAudioInput(7),
        '-af',
        "aselect='not(between(t,2.5,4.5))'",
        ...encodeOptions,
        ...aac,
        path,
      ),
    flashes: [1, 2, 3, 4, 5, 6],
    beeps: [1, 2, 5, 6],
  },
  {
    kind: 'interlaced video whose frame size changes in the middle',
    extension: 'ts',
    duration: 6,
    make(path) {
      const fields = ['-vf', 'setfield=tff', '-flags', '+ildct+ilme', '-pix_fmt', 'yuv420p']
      const coded = [...fields, '-c:v', 'mpeg2video', '-g', '25', '-c:a', 'mp2', '-f', 'mpegts', 'pipe:1']
      const parts = ['96x64', '192x128'].map((size) =>
        ffmpeg(...flashing(3, size), ...beepingAudioInput(3), ...coded),
      )
      writeFileSync(path, Buffer.concat(parts))
    },
    flashes: [1, 2, 4, 5],
    beeps: [1, 2, 4, 5],
  },
  {
    kind: 'joined recordings of which only one is playable',
    extension: 'mkv',
    make(path) {
      piped(path, ...flashing(3), ...beepingAudioInput(3), ...encodeOptions, '-c:a', 'flac')
      writeFileSync(path, Buffer.concat([readFileSync(path), readFileSync(path)]))
    },
    refusal: /several recordings joined into one file/,
  },
  {
    kind: 'a fractional frame rate',
    extension: 'mkv',
    duration: 5,
    make(path) {
      // At 12.5 frames per second, no frame begins exactly at an odd second.
      const film = flashing(5).map((arg) => arg.replace('rate=25', 'rate=25/2'))
      ffmpeg(...film, ...beepingAudioInput(5), ...encodeOptions, '-c:a', 'flac', path)
    },
    flashes: [1.04, 2, 3.04, 4],
    beeps: [1, 2, 3, 4],
  },
  {
    kind: 'video that begins after the audio',
    extension: 'mp4',
    duration: 5,
    make: (path) =>
      ffmpeg(...beepingAudioInput(5), '-itsoffset', '1', ...flashing(4), ...encodeOptions, ...aac, path),
    flashes: [2, 3, 4],
    beeps: [1, 2, 3, 4],
  },
  {
    kind: 'a still image with audio',
    extension: 'mp4',
    duration: 5,
    make: (path) =>
      ffmpeg(
        ...flashing(5),
        ...beepingAudioInput(5),
        '-vf',
        "select='eq(n,0)'",
        ...encodeOptions,
        ...aac,
        path,
      ),
    flashes: [],
    beeps: [1, 2, 3, 4],
  },
  {
    kind: 'audio longer than the video',
    extension: 'mp4',
    duration: 5,
    make: (path) => ffmpeg(...flashing(3), ...beepingAudioInput(5), ...encodeOptions, ...aac, path),
    flashes: [1, 2],
    beeps: [1, 2, 3, 4],
  },
  {
    kind: 'audio that becomes stereo in the middle',
    extension: 'ts',
    duration: 6,
    make(path) {
      const sounds = [6, 2].map((channels) =>
        ffmpeg(...beepingAudioInput(3, channels), '-c:a', 'ac3', '-f', 'ac3', 'pipe:1'),
      )
      const sound = `${path}.ac3`
      writeFileSync(sound, Buffer.concat(sounds))
      ffmpeg(...flashing(6), '-i', sound, '-c:a', 'copy', ...encodeOptions, path)
    },
    flashes: [1, 2, 3, 4, 5],
    beeps: [1, 2, 4, 5],
  },
  {
    kind: 'audio that begins late',
    extension: 'ts',
    duration: 9,
    make: (path) =>
      ffmpeg(...flashing(9), '-itsoffset', '7', ...beepingAudioInput(2), ...encodeOptions, ...aac, path),
    flashes: [1, 2, 3, 4, 5, 6, 7, 8],
    beeps: [8],
  },
  {
    kind: 'lost audio packets',
    extension: 'mkv',
    duration: 5,
    make: (path) =>
      ffmpeg(
        ...flashing(5),
        ...beepingAudioInput(5),
        '-af',
        "asetnsamples=n=960,aselect='mod(n,8)'",
        '-c:a',
        'pcm_s16le',
        ...encodeOptions,
        path,
      ),
    flashes: [1, 2, 3, 4],
    beeps: [1, 2, 3, 4],
  },
  {
    kind: 'a recording with a bursty frame rate',
    extension: 'mkv',
    duration: 5,
    make(path) {
      const film = flashing(5).map((arg) => arg.replace('rate=25', 'rate=60'))
      const bursts = ['-vf', "select='lt(t,1.1)+not(mod(n,30))'"]
      ffmpeg(...film, ...beepingAudioInput(5), ...bursts, ...encodeOptions, '-c:a', 'flac', path)
    },
    flashes: [1, 2, 3, 4],
    beeps: [1, 2, 3, 4],
  },
  {
    kind: 'pixels without a YUV matrix',
    extension: 'mkv',
    duration: 2,
    make: (path) =>
      ffmpeg(
        ...lavfi('color=0x0EDE04:size=96x64:rate=25:duration=2'),
        '-c:v',
        'libx264rgb',
        '-crf',
        '0',
        path,
      ),
    colour: [14, 222, 4],
  },
  {
    kind: 'Display P3',
    extension: 'mkv',
    duration: 2,
    make(path) {
      // Creates frames in red: (200, 40, 40) in BT.709.
      const toWide = [
        'zscale=min=gbr:rin=full:pin=bt709:tin=bt709:m=gbr:r=full:p=bt709:t=bt709',
        'zscale=min=gbr:rin=full:pin=bt709:tin=bt709:m=gbr:r=full:p=bt709:t=linear:npl=100',
        'format=gbrpf32le',
        'zscale=p=smpte432',
        'zscale=t=bt709:m=bt709:r=limited',
        'format=yuv420p',
        'setparams=color_primaries=smpte432:color_trc=bt709:colorspace=bt709:range=tv',
      ]
      const labels = ['-color_primaries', 'smpte432', '-color_trc', 'bt709', '-colorspace', 'bt709']
      const red = lavfi('color=0xC82828:size=96x64:rate=25:duration=2,format=gbrp')
      ffmpeg(...red, '-vf', toWide.join(','), '-c:v', 'libx264', '-crf', '4', ...labels, path)
    },
    colour: [200, 40, 40],
  },
  {
    kind: 'HDR in full range',
    extension: 'mp4',
    duration: 2,
    make(path) {
      // Grey with a fifth of the brightness of white. Its HLG code value is 0.3 on a scale from 0 to 1.
      const grey = 'nullsrc=size=96x64:rate=25:duration=2,format=yuv420p10,geq=lum=0.3*1023:cb=512:cr=512'
      const frames = 'setparams=color_primaries=bt2020:color_trc=arib-std-b67:colorspace=bt2020nc:range=pc'
      const labels = 'range=full:colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc:log-level=error'
      ffmpeg(...lavfi(grey), '-vf', frames, '-c:v', 'libx265', '-x265-params', labels, path)
    },
    colour: [79, 79, 79],
  },
  {
    kind: 'a fragment type box at the start',
    extension: 'mp4',
    duration: 4,
    make(path) {
      const fragments = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-f', 'mp4', 'pipe:1']
      const film = ffmpeg(...flashing(4), ...beepingAudioInput(4), ...encodeOptions, ...aac, ...fragments)
      const styp = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('stypmsdh\0\0\0\0msdhmsix')])
      writeFileSync(path, Buffer.concat([styp, film]))
    },
    flashes: [1, 2, 3],
    beeps: [1, 2, 3],
  },
]

/** Returns a reference video of one colour: H.264 tagged as BT.709. */
export function plainFilm([red, green, blue]: readonly number[]): Buffer {
  const colour = [red, green, blue].map((part = 0) => part.toString(16).padStart(2, '0')).join('')
  const matrix = 'scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd,format=yuv420p'
  const labels = [
    '-colorspace',
    'bt709',
    '-color_primaries',
    'bt709',
    '-color_trc',
    'bt709',
    '-color_range',
    'tv',
  ]
  const fragments = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-f', 'mp4', 'pipe:1']
  const film = lavfi(`color=0x${colour}:size=96x64:rate=25:duration=1,format=rgb24`)
  return ffmpeg(...film, '-vf', matrix, '-c:v', 'libx264', '-crf', '4', ...labels, ...fragments)
}

/** Describes the videos of a folder. For these, tests check only that audio and video are synchronous. */
export function filmsOf(folder: string, names: readonly string[]): FlashingFilm[] {
  return names.map((name) => ({
    kind: name,
    extension: name.slice(name.lastIndexOf('.') + 1),
    make: (path) => writeFileSync(path, readFileSync(join(folder, name))),
  }))
}
