import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDatabaseProxy } from '#server/testing/database/database-proxy.ts'
import { listProcessTree } from '#server/testing/site/process-tree.ts'
import { createTestDatabase } from '#server/testing/database/test-database.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { composeCases } from '#deploy/compose/compose-cases.ts'
import { buildImage, type Image } from './build-image.ts'

const megabyte = 1e6
const stopsWithinMs = 10_000
const removesWithinMs = 300_000
let image: Image

beforeAll(() => {
  image = buildImage()
}, 1_500_000)
// Long timeout, because buildah stores each layer as a full copy: gigabytes of small files.
afterAll(() => image?.remove(), removesWithinMs)

it('the image has at most 500 MB', () => {
  expect(image.size / megabyte).toBeLessThan(500)
})

it('the image has its labels, health check and stop signal', () => {
  expect(image.config).toMatchObject({
    User: 'node',
    StopSignal: 'SIGTERM',
    Healthcheck: { Test: ['CMD', 'node', 'scripts/check-ready.mjs'] },
  })
  expect(image.labels).toMatchObject({
    'org.opencontainers.image.title': 'Cliffhanger',
    'org.opencontainers.image.version': '1.2.3',
    'org.opencontainers.image.licenses': 'MIT',
  })
})

it("a container can write only to /data, and has a current ffmpeg and the operator's commands", async () => {
  const script =
    'id -u; find /app /usr /etc /data -xdev -writable ! -type l; ffmpeg -version | head -1; cliffhanger'
  const child = image.start(['sh', '-c', script], {})
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const [uid, ...lines] = output.split('\n')
  expect(uid).not.toBe('0')
  expect(lines.filter((line) => line.startsWith('/'))).toEqual(['/data'])
  expect(lines.join('\n')).toMatch(/ffmpeg version [5-9]/)
})

it('a container starts from the compile cache of the image', async () => {
  const script = 'NODE_DEBUG_NATIVE=COMPILE_CACHE node scripts/start.mjs 2>&1'
  // The site exits at once, because the setting is invalid.
  const child = image.start(['sh', '-c', script], { PUBLIC_URL: 'nowhere' })
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(output).toMatch(/chunk-config\.js was accepted/)
})

it('a container responds to /api/ready, runs as an unprivileged user and exits within 10 s of SIGTERM', async () => {
  const database = await createTestDatabase()
  const { url: databaseUrl, stop } = await startDatabaseProxy(database.url)
  const port = await freePort()
  const child = image.start(image.config.Cmd, {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    APP_SECRET: 'a secret of the image under test, long enough',
  })
  const url = `http://127.0.0.1:${port}/api/ready`
  await waitUntil('the container is ready', () => child.exitCode !== null || isReachable(url), 120_000)
  expect(child.exitCode).toBe(null)
  const site = listProcessTree(child.pid ?? 0).filter(({ command }) =>
    /^(\/usr\/local\/bin\/)?node /.test(command),
  )
  expect(site.length).toBeGreaterThan(0)
  for (const { pid } of site)
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t1000\t1000\t/m)
  const signalledAt = Date.now()
  process.kill(site[0]?.pid ?? 0, 'SIGTERM')
  await once(child, 'exit')
  expect(Date.now() - signalledAt).toBeLessThan(stopsWithinMs)
  await stop()
  await database.close()
})

composeCases(() => ({ root: image.mount(), env: image.config.Env, command: image.config.Cmd }))
