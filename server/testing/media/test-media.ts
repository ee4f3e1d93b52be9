import { execFileSync, spawnSync } from 'node:child_process'
import { findFfmpeg } from '#server/platform/processes/run-ffmpeg-version.ts'

export const programs = await findFfmpeg({ ffmpegPath: process.env['FFMPEG_PATH'] })

/** A `video.yaml` with only the required fields. */
export const sampleVideoYaml = `title: { en: Salt }
synopsis: { en: Two sisters. }
category: family-drama
free_episodes: 1
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`

/** Creates a video with ffmpeg's test image and tone. */
export function makeTestVideo(
  path: string,
  { size = '320x180', seconds = 3, rate = '25', sound = true, noise = false, more = [] as string[] } = {},
): void {
  const picture = `testsrc=size=${size}:rate=${rate}:duration=${seconds}${noise ? ',noise=alls=80:allf=t' : ''}`
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`]
  const args = [
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    picture,
    ...(sound ? tone : []),
    '-pix_fmt',
    'yuv420p',
    '-preset',
    'ultrafast',
    '-shortest',
    ...more,
    path,
  ]
  execFileSync(programs.ffmpegPath, args, { timeout: 120_000 })
}

/** Returns the codec of a file's first video stream. Cover images count as video streams. */
export function firstVideoCodec(path: string): string {
  const args = [
    '-v',
    'error',
    '-select_streams',
    'v:0',
    '-show_entries',
    'stream=codec_name',
    '-of',
    'csv=p=0',
    path,
  ]
  return execFileSync(programs.ffprobePath, args, { encoding: 'utf8', timeout: 120_000 }).trim()
}

/** Returns one field of each packet in the first stream, as ffprobe prints it. */
export function packetFields(path: string, column: string): string[] {
  const args = [
    '-v',
    'error',
    '-select_streams',
    '0',
    '-show_entries',
    `packet=${column}`,
    '-of',
    'csv=p=0',
    path,
  ]
  return execFileSync(programs.ffprobePath, args, { encoding: 'utf8', timeout: 120_000 }).trim().split('\n')
}

/** Runs ffmpeg. @returns its standard output */
export function ffmpeg(...args: string[]): Buffer {
  return execFileSync(programs.ffmpegPath, ['-v', 'error', '-nostdin', '-y', ...args], {
    timeout: 120_000,
    maxBuffer: 64 * 1024 ** 2,
  })
}

/** Returns a file's integrated loudness in LUFS and its true peak in dBTP. */
export function loudnessOf(path: string): { integrated: number; peak: number } {
  const args = ['-hide_banner', '-nostats', '-i', path, '-vn', '-af', 'ebur128=peak=true', '-f', 'null', '-']
  const { stderr } = spawnSync(programs.ffmpegPath, args, { encoding: 'utf8', timeout: 120_000 })
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'))
  return {
    integrated: Number(/I:\s+(\S+) LUFS/.exec(summary)?.[1]),
    peak: Number(/Peak:\s+(\S+) dBFS/.exec(summary)?.[1]),
  }
}

/**
 * Divides the first frame into `parts` columns and `parts` rows of equal size. In the result, `row` has the average
 * brightness of each column, from left to right. `column` has the average brightness of each row, downwards.
 */
export function brightnessProfile(path: string, parts: number): { row: number[]; column: number[] } {
  const look = (width: number, height: number) => [
    ...ffmpeg(
      '-i',
      path,
      '-frames:v',
      '1',
      '-vf',
      `scale=${width}:${height}:flags=area,format=gray`,
      '-f',
      'rawvideo',
      'pipe:1',
    ),
  ]
  return { row: look(parts, 1), column: look(1, parts) }
}

/** Returns fields of one stream, in ffprobe's order. Reads one line: ffprobe prints a playlist's fields twice. */
export function streamFields(path: string, stream: string, fields: string): string[] {
  const args = ['-select_streams', stream, '-show_entries', `stream=${fields}`, '-of', 'csv=p=0']
  return execFileSync(programs.ffprobePath, ['-v', 'error', ...args, path], {
    encoding: 'utf8',
    timeout: 120_000,
  })
    .trim()
    .split('\n', 1)
    .flatMap((line) => line.split(','))
}
