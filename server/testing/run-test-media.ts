import { execFileSync } from 'node:child_process'
import { findFfmpeg } from '#server/platform/run-ffmpeg-version.ts'

export const programs = await findFfmpeg({ ffmpegPath: process.env['FFMPEG_PATH'] })

/** Draws a film with ffmpeg's own test picture and tone. */
export function drawFilm(
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
  execFileSync(programs.ffmpegPath, args, { timeout: 30_000 })
}

/** The codec of a file's first video stream, cover pictures among them. */
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
  return execFileSync(programs.ffprobePath, args, { encoding: 'utf8', timeout: 30_000 }).trim()
}

/** One column of what ffprobe says of every packet of the first stream. */
export function packets(path: string, column: string): string[] {
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
  return execFileSync(programs.ffprobePath, args, { encoding: 'utf8', timeout: 30_000 }).trim().split('\n')
}
