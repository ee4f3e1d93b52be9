import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFfmpeg } from '#server/platform/run-ffmpeg-version.ts'
import { makeContent } from './make-content.ts'
import { sandboxSiteUrl } from './site-url.ts'

const root = join(import.meta.dirname, '..')
const readyWithinMs = 60_000

/** A site that has only the sandbox, with one drama whose second episode is locked. Its clock may be moved. */
export interface SandboxSite {
  /** `npm run forward`. */
  forward(length: string): Promise<void>
  close(): Promise<void>
}

export async function startSandboxSite(): Promise<SandboxSite> {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-sandbox-'))
  const { port } = new URL(sandboxSiteUrl)
  const env = { ...process.env, DATA_DIR: join(home, 'data'), PORT: port, DEMO: '0', LOG_LEVEL: 'warn' }
  const command = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['server/cli.ts', ...args], { cwd: root, env })
  const { ffmpegPath } = await findFfmpeg({ ffmpegPath: process.env['FFMPEG_PATH'] })
  const door = { slug: 'the-door', title: 'The Door', episodes: 2, free: 1, size: '360x640', sound: true }
  await makeContent(join(home, 'dramas'), ffmpegPath, [door])
  await command('import', join(home, 'dramas'))
  const site = spawn(process.execPath, ['server/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await ready(site)
  return {
    async forward(length) {
      await command('forward', length)
    },
    async close() {
      const gone = new Promise((done) => site.once('exit', done))
      site.kill('SIGTERM')
      await gone
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function ready(site: ChildProcess): Promise<void> {
  const until = Date.now() + readyWithinMs
  while (Date.now() < until) {
    if (site.exitCode !== null) throw new Error(`the site ended with ${site.exitCode}`)
    const answer = await fetch(`${sandboxSiteUrl}/api/ready`).catch(() => null)
    if (answer?.ok) return
    await new Promise((done) => setTimeout(done, 200))
  }
  throw new Error('the site did not become ready')
}
