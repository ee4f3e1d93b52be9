import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeoutMs = 10_000
const byPath = new Map<string, Promise<FfmpegCapabilities>>()

/** The filters and encoders of a build of ffmpeg. They depend more on the build than on the version. */
export interface FfmpegCapabilities {
  filters: ReadonlySet<string>
  encoders: ReadonlySet<string>
}

/**
 * Queries a build of ffmpeg for its filters and encoders, once per process. A failed query is not repeated either: a
 * program on this machine is unlikely to recover by itself.
 * @throws Error if it does not respond within 10 s
 */
export function queryCapabilities(ffmpegPath: string): Promise<FfmpegCapabilities> {
  const known = byPath.get(ffmpegPath) ?? runQuery(ffmpegPath)
  byPath.set(ffmpegPath, known)
  return known
}

async function runQuery(ffmpegPath: string): Promise<FfmpegCapabilities> {
  const list = async (what: string) => {
    const { stdout } = await run(ffmpegPath, ['-hide_banner', what], { timeout: timeoutMs })
    // Every line is flags, name, description.
    return new Set([...stdout.matchAll(/^ *[A-Z.|]+ +([\w-]+) /gm)].map(([, name = '']) => name))
  }
  const [filters, encoders] = await Promise.all([list('-filters'), list('-encoders')])
  return { filters, encoders }
}
