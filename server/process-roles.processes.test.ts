import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { siteVersion } from '#server/platform/site-version.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { listProcessTree } from '#server/testing/site/process-tree.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'

const timeoutMs = 240_000
const timeout = { timeout: 2 * timeoutMs }
const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-roles-'))
const children: ChildProcess[] = []
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
})
afterAll(async () => {
  await database.close()
  rmSync(dataDir, { recursive: true })
})

async function startProcess(settings: Record<string, string>) {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      APP_SECRET: 'a secret of thirty-two characters',
      LOG_LEVEL: 'warn',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  children.push(child)
  return {
    child,
    ended: once(child, 'exit'),
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
  }
}

const statusAt = async (url: string) => (await fetch(url)).status
const textAt = async (url: string) => (await fetch(url)).text()

test('ROLE=web answers without a worker, and has metrics of calls and playback', timeout, async () => {
  const { child, ended, url, metricsUrl } = await startProcess({ ROLE: 'web' })
  await waitUntil('the site is ready', () => isReachable(`${url}/api/ready`), timeoutMs)
  await fetch(`${url}/api/statics.png?event=play_start`)
  await fetch(`${url}/api/statics.png?event=anything_else`)
  const metrics = await textAt(metricsUrl)
  expect(metrics).toContain(`cliffhanger_build_info{version="${siteVersion}",role="web"} 1`)
  expect(metrics).toMatch(
    /cliffhanger_http_request_duration_seconds_count\{method="GET",route="\/api\/ready",status="200"\} [1-9]/,
  )
  expect(metrics).toContain('cliffhanger_playback_events_total{event="play_start"} 1')
  expect(metrics).not.toContain('anything_else')
  expect(metrics).toMatch(/cliffhanger_database_size_bytes [1-9]\d{6}/)
  expect(metrics).toContain('cliffhanger_renewals_overdue 0')
  expect(metrics).toMatch(/cliffhanger_database_wait_seconds_count\{queue="pool"\} [1-9]/)
  expect(metrics).toContain('nodejs_eventloop_lag_p99_seconds')
  expect(await statusAt(metricsUrl.replace('/metrics', '/'))).toBe(404)
  expect(listProcessTree(child.pid ?? 0).filter(({ command }) => command.includes('worker.ts'))).toEqual([])
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('after SIGTERM the site is not ready, but accepts connections for DRAIN_SECONDS', timeout, async () => {
  const { child, ended, url } = await startProcess({ ROLE: 'web', DRAIN_SECONDS: '6' })
  await waitUntil('the site is ready', () => isReachable(`${url}/api/ready`), timeoutMs)
  child.kill('SIGTERM')
  await waitUntil('the site is not ready', async () => (await statusAt(`${url}/api/ready`)) === 503, 5000)
  const { status, headers } = await fetch(`${url}/api/health`)
  expect(status).toBe(200)
  // Tells the client to open a new connection: the server could close this one during the next request.
  expect(headers.get('connection')).toBe('close')
  expect(await ended).toEqual([0, null])
  expect(await isReachable(`${url}/api/health`)).toBe(false)
})

test('ROLE=worker runs the jobs and has metrics, and answers no calls', timeout, async () => {
  await database.pool.query("DELETE FROM scheduled_jobs WHERE name = 'send-mails'")
  const { child, ended, url, metricsUrl } = await startProcess({ ROLE: 'worker' })
  const hasRun = async () => {
    const { rowCount } = await database.pool.query(
      "SELECT FROM scheduled_jobs WHERE name = 'send-mails' AND succeeded_at IS NOT NULL",
    )
    return rowCount === 1
  }
  await waitUntil('a job has run', hasRun, timeoutMs)
  const metrics = await textAt(metricsUrl)
  expect(metrics).toContain(`cliffhanger_build_info{version="${siteVersion}",role="worker"} 1`)
  expect(metrics).toMatch(
    /cliffhanger_job_duration_seconds_count\{job="send-mails",outcome="succeeded"\} [1-9]/,
  )
  expect(await isReachable(`${url}/api/health`)).toBe(false)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
