import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  startEmbeddedDatabase,
  type EmbeddedConnection,
} from '#server/platform/database/embedded/embedded-database.ts'
import { createLog } from '#server/platform/log.ts'
import { findFfmpeg, type Ffmpeg } from '#server/platform/processes/run-ffmpeg-version.ts'
import nodeFlags from '#scripts/node-flags.json' with { type: 'json' }
import { boundToUs } from '#scripts/run-child.mjs'
import { freePort } from '#server/testing/site/free-port.ts'
import { unlimited, unlimitedQuotas } from '#server/testing/site/unlimited.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'
import { makeBenchContent, type Content } from './make-bench-content.ts'

export interface BenchSite {
  url: string
  /** Process id of the HTTP process, which is the parent of the site's other processes. */
  pid: number
  /** A temporary folder for the measurements, deleted at the end. */
  home: string
  dataDir: string
  /** The environment variables of the site's processes. */
  env: NodeJS.ProcessEnv
  connection: EmbeddedConnection
  ffmpeg: Ffmpeg
  close(): Promise<void>
}

const port = 3911

const defaultContent: Content = { episodes: 6, seconds: 12 }

/** Starts a site with a video (by default six short episodes), with a new data directory and in separate processes. */
export async function startBenchSite(
  content = defaultContent,
  settings: NodeJS.ProcessEnv = {},
): Promise<BenchSite> {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-bench-'))
  const dataDir = join(home, 'data')
  const folder = join(home, 'dramas')
  const ffmpeg = await findFfmpeg({ ffmpegPath: process.env['FFMPEG_PATH'] })
  const env = { ...benchEnv(dataDir), ...settings }
  makeBenchContent(folder, 'the-bench', ffmpeg.ffmpegPath, content)
  importFolder(folder, env)
  const site = spawnSite(env)
  const url = `http://localhost:${port}`
  await waitUntilReachable(`${url}/api/ready`, site)
  // Does not start a server, because the site's database server is already running. Only returns the connection.
  const { connection } = await startEmbeddedDatabase({
    dataDir,
    log: createLog({ json: false, level: 'error' }),
  })
  return {
    url,
    pid: site.pid ?? Number.NaN,
    home,
    dataDir,
    env,
    connection,
    ffmpeg,
    async close() {
      const ended = new Promise((resolve) => site.once('exit', resolve))
      site.kill('SIGTERM')
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Starts a site with existing data, in its own process, at a free port: another bench may use the fixed port. */
export async function startSiteOn(dataDir: string): Promise<{ url: string; close(): Promise<void> }> {
  const ownPort = await freePort()
  const site = spawnSite({ ...benchEnv(dataDir), PORT: String(ownPort) })
  const url = `http://localhost:${ownPort}`
  const close = async () => {
    const ended = new Promise((resolve) => site.once('exit', resolve))
    if (site.exitCode === null && site.kill('SIGTERM')) await ended
  }
  try {
    await waitUntilReachable(`${url}/api/ready`, site)
    return { url, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Starts the site's HTTP process as `npm start` does. */
export function spawnSite(env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(...boundToUs(process.execPath, [...nodeFlags, 'server/main.ts']), {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** The secret of the signed media URLs. nginx needs it too. */
export const mediaSecret = 'the secret of links to media in the bench'

/**
 * Returns the environment variables of a bench site. It has its own data directory, and no rate limits, because one
 * machine sends all requests.
 */
export function benchEnv(dataDir: string): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, PUBLIC_URL: _url, ...rest } = process.env
  return {
    ...rest,
    DATA_DIR: dataDir,
    PORT: String(port),
    MEDIA_SECRET: mediaSecret,
    DEMO: '0',
    LOG_LEVEL: 'warn',
    // Otherwise the endpoints of the balance refuse every request.
    PREPAID_BALANCE: 'on',
    RATE_LIMIT_API_PER_USER: unlimited,
    RATE_LIMIT_API_PER_IP: unlimited,
    RATE_LIMIT_SIGN_IN_PER_ACCOUNT: unlimited,
    RATE_LIMIT_SIGN_IN_PER_IP: unlimited,
    RATE_LIMIT_REGISTER_PER_IP: unlimited,
    ...unlimitedQuotas,
  }
}

/** Runs the import command as an operator does. @returns its duration in milliseconds */
export function importFolder(folder: string, env: NodeJS.ProcessEnv): number {
  const started = performance.now()
  const [command, args] = boundToUs(process.execPath, ['server/cli.ts', 'import', '--new-site', folder])
  const { status } = spawnSync(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error('The video for the bench could not be imported')
  return performance.now() - started
}

/** Waits until a server responds. @throws Error after a minute, or if its process exits first */
export async function waitUntilReachable(url: string, server: ChildProcess): Promise<void> {
  const isThere = () => {
    if (server.exitCode !== null) throw new Error(`The server of ${url} exited before it responded`)
    return isReachable(url)
  }
  await waitUntil(`${url} answers`, isThere, 60_000)
}
