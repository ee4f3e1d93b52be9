import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PlayableEpisode } from '#contract/media.ts'
import { findFfmpeg } from '#server/platform/run-ffmpeg-version.ts'
import { answersAt, waitUntil } from '#server/testing/wait-until.ts'
import { makeContent } from './make-content.ts'
import { sandboxSiteUrl } from './site-url.ts'

const root = join(import.meta.dirname, '..')
const waitMs = 60_000
const door = { slug: 'the-door', title: 'The Door', episodes: 2, free: 1, size: '360x640', sound: true }

/** A site that has only the sandbox, and by itself one drama whose second episode is locked. Its clock may be moved. */
export interface SandboxSite {
  /** `npm run forward`, by at least a day, until the process that answers calls has seen it. */
  forward(length: string): Promise<void>
  close(): Promise<void>
}

export async function startSandboxSite(
  settings: Record<string, string> = {},
  dramas: Parameters<typeof makeContent>[2] = [door],
): Promise<SandboxSite> {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-sandbox-'))
  const { port } = new URL(sandboxSiteUrl)
  const own = { DATA_DIR: join(home, 'data'), PORT: port, DEMO: '0', LOG_LEVEL: 'warn' }
  const env = { ...process.env, ...own, ...settings }
  const command = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['server/cli.ts', ...args], { cwd: root, env })
  const { ffmpegPath } = await findFfmpeg({ ffmpegPath: process.env['FFMPEG_PATH'] })
  await makeContent(join(home, 'dramas'), ffmpegPath, dramas)
  await command('import', join(home, 'dramas'))
  const site = spawn(process.execPath, ['server/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await ready(site)
  return {
    async forward(length) {
      const { stdout } = await command('forward', length)
      const [now = ''] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(stdout) ?? []
      await waitUntil('the site is so far on', async () => (await linkEnd()) > now, waitMs)
    },
    async close() {
      const gone = new Promise((done) => site.once('exit', done))
      if (site.kill('SIGTERM')) await gone
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Until when a link to the free episode lasts that is given out now: a few hours by the site's clock. */
async function linkEnd(): Promise<string> {
  const ask = async (path: string) => (await fetch(`${sandboxSiteUrl}/api/${path}`)).json()
  const { info } = (await ask('homepage')) as { info: { homepage: { items: { id: string }[] }[] } }
  const video = info.homepage.flatMap(({ items }) => items)[0]?.id ?? ''
  const { data } = (await ask(`video/episode?video_id=${video}`)) as { data: { list: { id: string }[] } }
  const answer = (await ask(`video/episode?episode_id=${data.list[0]?.id ?? ''}`)) as {
    info: PlayableEpisode
  }
  return answer.info.playback.expires_at
}

function ready(site: ChildProcess): Promise<void> {
  const isReady = () => {
    if (site.exitCode !== null) throw new Error(`the site ended with ${site.exitCode}`)
    return answersAt(`${sandboxSiteUrl}/api/ready`)
  }
  return waitUntil('the site is ready', isReady, waitMs)
}
