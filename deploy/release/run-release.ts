import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { findFfmpeg } from '#server/platform/processes/run-ffmpeg-version.ts'

const root = join(import.meta.dirname, '..', '..')

/** Builds a release and unpacks it into an empty folder. */
export function unpackRelease(): { folder: string; archive: string; remove(): void } {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-release-'))
  must(process.execPath, ['scripts/with-setup.mjs', '--built', 'scripts/release/make-release.ts', home])
  const [archive = ''] = readdirSync(home)
  must('tar', ['-xzf', join(home, archive), '-C', home])
  return {
    folder: join(home, archive.replace('.tar.gz', '')),
    archive: join(home, archive),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

function must(command: string, args: string[]): void {
  // The tests' own NODE_ENV would create a development build.
  const env = { ...process.env, NODE_ENV: 'production' }
  const { status, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${command} ${args[0]} exited with ${status}: ${stderr}`)
}

/** Returns the settings with which a release finds the ffmpeg of this checkout, and its PATH. */
export async function ffmpegSettings(): Promise<Record<string, string>> {
  const { ffmpegPath, ffprobePath } = await findFfmpeg({ ffmpegPath: undefined })
  const programs = [ffmpegPath, ffprobePath].map((path) => join(path, '..')).join(':')
  return {
    PATH: `${programs}:/usr/bin:/bin`,
    ...(ffmpegPath.includes('/') ? { FFMPEG_PATH: ffmpegPath } : {}),
  }
}

/** Starts a program of the release as a service manager does: with only these settings. */
export function startClean(
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
