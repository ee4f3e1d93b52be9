import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ConfigError } from '#server/platform/config/config-error.ts'

const run = promisify(execFile)

/** The paths of ffmpeg and ffprobe, and the version of ffmpeg. */
export interface Ffmpeg {
  ffmpegPath: string
  ffprobePath: string
  version: string
  /** True for the old build from the package registry: it works, but newer builds are faster and better. */
  bundled: boolean
}

const oldestMajor = 5
const timeoutMs = 10_000

/**
 * Finds ffmpeg and ffprobe: FFMPEG_PATH, else the PATH (version 5 or newer), else the build installed by set-up.
 * @throws ConfigError naming FFMPEG_PATH if that program does not work, or if no ffmpeg is found
 */
export async function findFfmpeg({ ffmpegPath }: { ffmpegPath: string | undefined }): Promise<Ffmpeg> {
  if (ffmpegPath !== undefined) {
    const version = await readVersion(ffmpegPath)
    if (version === undefined) throw new ConfigError(`FFMPEG_PATH ${ffmpegPath} could not be run as ffmpeg.`)
    return { ffmpegPath, ffprobePath: await findFfprobe(ffmpegPath), version, bundled: false }
  }
  const [onPath, probe] = await Promise.all(['ffmpeg', 'ffprobe'].map(readVersion))
  if (onPath !== undefined && isRecent(onPath) && probe !== undefined) {
    return { ffmpegPath: 'ffmpeg', ffprobePath: 'ffprobe', version: onPath, bundled: false }
  }
  const bundled = bundledProgram('ffmpeg')
  const version = bundled && (await readVersion(bundled))
  if (!bundled || !version)
    throw new ConfigError('ffmpeg was not found: install ffmpeg 5 or newer, or set FFMPEG_PATH.')
  return { ffmpegPath: bundled, ffprobePath: await findFfprobe(bundled), version, bundled: true }
}

/**
 * Returns the first ffprobe that runs: beside ffmpeg, on the PATH, or from set-up.
 * @throws ConfigError if there is none
 */
async function findFfprobe(ffmpegPath: string): Promise<string> {
  const sibling = ffmpegPath.includes('/') ? join(dirname(ffmpegPath), 'ffprobe') : undefined
  for (const candidate of [sibling, 'ffprobe', bundledProgram('ffprobe')]) {
    if (candidate !== undefined && (await readVersion(candidate)) !== undefined) return candidate
  }
  throw new ConfigError(
    'ffprobe was not found: install ffmpeg 5 or newer, or set FFMPEG_PATH to an ffmpeg with ffprobe beside it.',
  )
}

/**
 * Returns the version that a program reports (`5.1.6`, `N-12345-gabc` for a nightly build); undefined if it does not
 * run within 10 s.
 */
async function readVersion(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, ['-version'], { timeout: timeoutMs })
    return /^ff\w+ version (\S+)/.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

/**
 * Returns whether a version is supported. Nightly builds have no release number; they are newer than the oldest
 * supported version.
 */
function isRecent(version: string): boolean {
  const major = /^n?(\d+)\./.exec(version)?.[1]
  return major === undefined || Number(major) >= oldestMajor
}

function bundledProgram(name: 'ffmpeg' | 'ffprobe'): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `@${name}-installer/${process.platform}-${process.arch}/package.json`,
    )
    return join(dirname(manifest), name)
  } catch {
    return undefined
  }
}
