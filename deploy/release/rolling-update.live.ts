import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildVideo, noStorage } from '#server/testing/builders/video-builders.ts'
import { createEmptyDatabase } from '#server/testing/database/test-database.ts'
import { openTestPool } from '#server/testing/database/test-pool.ts'
import { unlimited, unlimitedQuotas } from '#server/testing/site/unlimited.ts'
import { makeNextRelease } from './make-next-release.ts'
import { findReleaseCommit, isShallow, previousRelease } from './previous-release.ts'
import { runInstances } from './run-instances.ts'
import { ffmpegSettings, unpackRelease, unpackReleaseOf } from './run-release.ts'
import { simulateBuyers } from './simulate-buyers.ts'

const clients = 3
const patienceMs = 240_000
// The first release has no previous one. A shallow clone cannot build the previous release.
const isShallowClone = isShallow()
const previous = isShallowClone ? undefined : previousRelease()
if (isShallowClone)
  console.log('This clone is shallow, so the update from the previous release is not tested.')

let release: ReturnType<typeof unpackRelease>
let next: string

beforeAll(() => {
  release = unpackRelease()
  next = join(release.folder, '..', 'next')
  makeNextRelease(release.folder, next)
})
afterAll(() => release?.remove())

const settings = async (databaseUrl: string): Promise<Record<string, string>> => ({
  ...(await ffmpegSettings()),
  DATABASE_URL: databaseUrl,
  DATA_DIR: join(release.folder, '..', 'data'),
  APP_SECRET: 'a secret of thirty-two characters',
  DEMO: '0',
  // Time for the load balancer to notice that an instance is about to stop.
  DRAIN_SECONDS: '5',
  RATE_LIMIT_API_PER_USER: unlimited,
  RATE_LIMIT_API_PER_IP: unlimited,
  ...unlimitedQuotas,
})

function migrateWith(folder: string, env: Record<string, string>): void {
  const args = ['server/migrate.ts']
  const { status, stderr } = spawnSync(join(folder, 'bin', 'node'), args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
}

/**
 * Replaces two instances of the release in `oldFolder` by the release in `newFolder`, and then rolls back, while buyers
 * buy. Each release therefore runs on the other's database schema, and both run at the same time. No request may fail,
 * and every paid order must have an entitlement.
 * @returns the logs of all instances
 */
async function updateAndRollBack(oldFolder: string, newFolder: string): Promise<string> {
  const { url, drop } = await createEmptyDatabase()
  const env = await settings(url)
  migrateWith(oldFolder, env)
  const database = openTestPool(url)
  const video = await buildVideo({ db: database.db, storage: noStorage })
  const instances = await runInstances(oldFolder, 2, env)
  const buyers = simulateBuyers(instances.url, video, clients)
  await buyers.completeMore(patienceMs)
  await instances.replaceOne(newFolder)
  await buyers.completeMore(patienceMs)
  migrateWith(newFolder, env)
  await buyers.completeMore(patienceMs)
  await instances.replaceOne(newFolder)
  await buyers.completeMore(patienceMs)
  await instances.replaceOne(oldFolder)
  await instances.replaceOne(oldFolder)
  await buyers.completeMore(patienceMs)
  const { failures, paid } = await buyers.end()
  await instances.close()
  expect(failures).toEqual([])
  const paidOrders = await database.db
    .selectFrom('orders')
    .innerJoin('entitlements', 'entitlements.order_id', 'orders.id')
    .select('orders.id')
    .where('orders.status', '=', 'paid')
    .execute()
  expect(paidOrders.map(({ id }) => id).toSorted()).toEqual(paid.toSorted())
  await database.close()
  await drop()
  return instances.output()
}

it(
  'no request fails and no payment is lost during an update to the next release and its rollback',
  { timeout: 900_000 },
  async () => {
    const output = await updateAndRollBack(release.folder, next)
    expect(output).toMatch(/schema of an older version/)
    expect(output).toMatch(/newer than this one/)
  },
)

if (previous !== undefined)
  it(
    'no request fails and no payment is lost during an update from the previous release, built from its tag, and its rollback',
    { timeout: 900_000 },
    async () => {
      const before = unpackReleaseOf(findReleaseCommit(previous))
      try {
        await updateAndRollBack(before.folder, release.folder)
      } finally {
        before.remove()
      }
    },
  )
