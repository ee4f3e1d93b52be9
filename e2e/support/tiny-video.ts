import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFfmpeg } from '#server/platform/processes/run-ffmpeg-version.ts'
import { makeClip } from './make-content.ts'

let cachedVideo: Promise<Buffer> | undefined

/** Returns a video of one second, which the site converts quickly. It is created once. */
export const tinyVideo = (): Promise<Buffer> => (cachedVideo ??= make())

async function make(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'cliffhanger-film-'))
  const file = join(folder, '01.mp4')
  try {
    const { ffmpegPath } = await findFfmpeg({ ffmpegPath: process.env['FFMPEG_PATH'] })
    await makeClip(ffmpegPath, { file, number: 1, size: '90x160', sound: false, seconds: 1 })
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
