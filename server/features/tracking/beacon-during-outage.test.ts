import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { startDatabaseProxy, type DatabaseProxy } from '#server/testing/database/database-proxy.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { trackedVisitor } from '#server/testing/site/tracked-visitor.ts'
import type { Tables } from '#server/tables.ts'

let own: TestDatabase
let proxy: DatabaseProxy
let site: TestSite
beforeAll(async () => {
  own = await createTestDatabase()
  proxy = await startDatabaseProxy(own.url)
  const log = createLog({ json: true, level: 'silent' })
  const settings = { dataDir: '', databaseUrl: proxy.url, migrate: false }
  const database = await openDatabase<Tables>(settings, log)
  site = await startTestSite({ database })
})
afterAll(async () => {
  await site.close()
  await proxy.stop()
  await own.close()
})

test('events of guests with and without a row get a response while the database is unavailable, and are written later', async () => {
  const known = await trackedVisitor(site, true)
  await proxy.stop()
  const events = Array.from({ length: 20 }, (_, number) => `away_${number}`)
  for (const [number, event] of events.entries()) {
    const visitor = number % 2 ? known.visitor : site.visitor()
    const response = await visitor.fetch(`/api/statics.png?event=${event}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  }
  await proxy.restart()
  const written = async () =>
    (await own.db.selectFrom('events').select('name').where('name', 'like', 'away\\_%').execute())
      .map(({ name }) => name)
      .toSorted()
  await expect.poll(written).toEqual(events.toSorted())
})
