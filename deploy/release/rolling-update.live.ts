import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildVideo, noFiles, type BuiltVideo } from '#server/testing/builders/builders.ts'
import { testDatabase, type TestDatabase } from '#server/testing/database/template-database.ts'
import { unlimited, unlimitedQuotas } from '#server/testing/site/unlimited.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { makeNextRelease } from './make-next.ts'
import { runCopies } from './run-copies.ts'
import { ffmpegSettings, unpackRelease } from './run-release.ts'
import { simulateBuyers } from './simulate-buyers.ts'

const clients = 3
/** The number of customer journeys before and after each change. */
const between = 5
const patienceMs = 120_000

let release: ReturnType<typeof unpackRelease>
let database: TestDatabase
let video: BuiltVideo
let next: string
let env: Record<string, string>

beforeAll(async () => {
  release = unpackRelease()
  next = join(release.folder, '..', 'next')
  makeNextRelease(release.folder, next)
  database = await testDatabase()
  video = await buildVideo({ db: database.db, storage: noFiles })
  env = {
    ...(await ffmpegSettings()),
    DATABASE_URL: database.url,
    DATA_DIR: join(release.folder, '..', 'data'),
    APP_SECRET: 'a secret of thirty-two characters',
    DEMO: '0',
    // Time for a load balancer to notice that an instance is stopping.
    DRAIN_SECONDS: '5',
    LIMIT_API_USER: unlimited,
    LIMIT_API_IP: unlimited,
    ...unlimitedQuotas,
  }
}, 400_000)
afterAll(async () => {
  await database?.close()
  release?.remove()
})

function migrateWith(folder: string): void {
  const args = ['server/migrate.ts']
  const { status, stderr } = spawnSync(join(folder, 'bin', 'node'), args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
}

it('a rolling update and rollback fail no request and lose no payment', { timeout: 300_000 }, async () => {
  const copies = await runCopies(release.folder, 2, env)
  const buyers = simulateBuyers(copies.url, video, clients)
  const goOn = async () => {
    const wanted = buyers.journeys() + between
    await waitUntil('purchases continue', () => buyers.journeys() >= wanted, patienceMs)
  }
  await goOn()
  // Runs the new release on the old schema, the old release on the new schema, and both in parallel.
  await copies.replaceOne(next)
  await goOn()
  migrateWith(next)
  await goOn()
  await copies.replaceOne(next)
  await goOn()
  await copies.replaceOne(release.folder)
  await copies.replaceOne(release.folder)
  await goOn()
  const { failures, paid } = await buyers.end()
  await copies.close()
  expect(failures).toEqual([])
  expect(copies.output()).toMatch(/schema of an older version/)
  expect(copies.output()).toMatch(/newer than this one/)
  const kept = await database.db
    .selectFrom('orders')
    .innerJoin('entitlements', 'entitlements.order_id', 'orders.id')
    .select('orders.id')
    .where('orders.status', '=', 'paid')
    .execute()
  expect(kept.map(({ id }) => id).toSorted()).toEqual(paid.toSorted())
})
