import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { findFfmpeg } from '#server/platform/processes/run-ffmpeg-version.ts'

const root = join(import.meta.dirname, '..', '..')

interface UnpackedRelease {
  folder: string
  archive: string
  remove(): void
}

/** Builds a release of the sources in a folder (by default, this checkout) and unpacks it into an empty folder. */
export function unpackRelease(sources = root): UnpackedRelease {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-release-'))
  const makeCommand = ['scripts/with-setup.mjs', '--built', 'scripts/release/make-release.ts', home]
  runOrThrow(process.execPath, makeCommand, sources)
  const [archive = ''] = readdirSync(home)
  runOrThrow('tar', ['-xzf', join(home, archive), '-C', home])
  return {
    folder: join(home, archive.replace('.tar.gz', '')),
    archive: join(home, archive),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** Builds the release of a commit with the scripts of that commit, as the release workflow did. */
export function unpackReleaseOf(commit: string): UnpackedRelease {
  const sources = mkdtempSync(join(tmpdir(), 'cliffhanger-sources-'))
  try {
    const archive = join(sources, 'sources.tar')
    runOrThrow('git', ['archive', '--output', archive, commit])
    runOrThrow('tar', ['-xf', archive, '-C', sources])
    return unpackRelease(sources)
  } finally {
    rmSync(sources, { recursive: true, force: true })
  }
}

function runOrThrow(command: string, args: string[], cwd = root): void {
  // With the tests' NODE_ENV, the pages would be built for development.
  const env = { ...process.env, NODE_ENV: 'production' }
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}: ${stderr}`)
}

/** Returns the settings with which a release finds the ffmpeg of this checkout, including PATH. */
export async function ffmpegSettings(): Promise<Record<string, string>> {
  const { ffmpegPath, ffprobePath } = await findFfmpeg({ ffmpegPath: undefined })
  const programs = [ffmpegPath, ffprobePath].map((path) => join(path, '..')).join(':')
  return {
    PATH: `${programs}:/usr/bin:/bin`,
    ...(ffmpegPath.includes('/') ? { FFMPEG_PATH: ffmpegPath } : {}),
  }
}

/** Starts a program of the release with only these environment variables, as a service manager does. */
export function startWithCleanEnv(
  folder: string,
  [command = '', ...args]: string[],
  env: Record<string, string>,
): { child: ChildProcess; output(): string; ended: Promise<[number | null, NodeJS.Signals | null]> } {
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
  const ended = once(child, 'exit').then(([code, signal]): [number | null, NodeJS.Signals | null] => [
    code,
    signal,
  ])
  return { child, output: () => text, ended }
}
