import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { forcedKeyframes } from '#server/features/media/ingest/plan/build-ffmpeg-args.ts'
import { extraRenditionArgs, type ExtraRendition } from '#server/features/media/ingest/plan/extra-codec.ts'
import { runLimited } from '#server/features/media/ingest/files/run-ffmpeg.ts'
import type { Programs } from './programs.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

const timeoutMs = 60_000
const seconds = 2
const framesPerSecond = 4
const testRendition = { width: 64, height: 64, crf: 25, maxRate: 215, buffer: 107 }

/**
 * Encodes two seconds of a tiny video. Returns the encoder's fault, or undefined. Players switch renditions at
 * keyframes, so an encoder that omits or adds keyframes is unusable.
 */
export async function findEncoderFault(
  programs: Programs,
  extraRendition: ExtraRendition,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'cliffhanger-encoder-'))
  try {
    const file = join(folder, 'check.mp4')
    if (!(await tryEncode(programs, extraRendition, file))) return 'fails'
    const expected = Array.from({ length: seconds }, (_, second) => second)
    const found = await keyframeTimes(programs, file)
    return isDeepStrictEqual(found, expected) ? undefined : 'does not place keyframes as requested'
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error
    return error.reason.key === 'tooSlow' ? `takes more than ${timeoutMs / 1000} s for ${seconds} s` : 'fails'
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function tryEncode(
  { ffmpegPath, limits }: Programs,
  extraRendition: ExtraRendition,
  file: string,
): Promise<boolean> {
  const testSource = `testsrc=size=${testRendition.width}x${testRendition.height}:rate=${framesPerSecond}:duration=${seconds}`
  const args = [
    '-hide_banner',
    '-nostdin',
    '-loglevel',
    'error',
    '-f',
    'lavfi',
    '-i',
    testSource,
    '-pix_fmt',
    'yuv420p',
    ...extraRenditionArgs(extraRendition, testRendition),
    ...forcedKeyframes,
    file,
  ]
  const { status } = await runLimited({ program: ffmpegPath, args, limits, timeoutMs })
  return status === 0
}

async function keyframeTimes({ ffprobePath, limits }: Programs, file: string): Promise<number[]> {
  const lines: string[] = []
  const args = ['-v', 'error', '-show_entries', 'packet=pts_time,flags', '-of', 'csv=print_section=0', file]
  const onLine = (line: string) => lines.push(line)
  await runLimited({ program: ffprobePath, args, limits, timeoutMs, onLine })
  return lines.filter((line) => line.includes('K')).map(parseFloat)
}
