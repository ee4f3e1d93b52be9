import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFfmpeg, type Ffmpeg } from '#server/platform/run-ffmpeg-version.ts'
import { makeBenchContent } from './make-bench-content.ts'

export interface BenchSite {
  url: string
  home: string
  dataDir: string
  ffmpeg: Ffmpeg
  /** The folder that was imported, and how long that took, in milliseconds. */
  imported: { folder: string; ms: number }
  close(): Promise<void>
}

const port = 3911

/** A site with a few minutes of film, on a data directory of its own, in processes of its own. */
export async function startBenchSite(): Promise<BenchSite> {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-bench-'))
  const dataDir = join(home, 'data')
  const folder = join(home, 'dramas')
  const ffmpeg = await findFfmpeg({ ffmpegPath: process.env['FFMPEG_PATH'] })
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), DEMO: '0', LOG_LEVEL: 'warn' }
  await makeBenchContent(folder, ffmpeg.ffmpegPath)
  const started = performance.now()
  const result = spawnSync(process.execPath, ['server/cli.ts', 'import', folder], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ms = performance.now() - started
  if (result.status !== 0) throw new Error('The film for the bench could not be imported')
  const site = spawn(process.execPath, ['server/main.ts'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://localhost:${port}`
  await answers(`${url}/api/ready`, site)
  return {
    url,
    home,
    dataDir,
    ffmpeg,
    imported: { folder, ms },
    async close() {
      const ended = new Promise((resolve) => site.once('exit', resolve))
      site.kill('SIGTERM')
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Waits until a server answers. @throws Error where its process ends first, or after a minute */
export async function answers(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline && server.exitCode === null) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${url} does not answer`)
}
