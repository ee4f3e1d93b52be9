import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { withoutConnectionErrors } from '#server/testing/database/test-pool.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { openAnnouncements } from './announcements.ts'
import { listen } from './listen.ts'

const log = createLog({ json: true, level: 'silent' })

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

test('a busy pool does not delay the check that announcements arrive', async () => {
  const { sessions } = database
  const pool = withoutConnectionErrors(new pg.Pool({ connectionString: database.url, max: 1 }))
  let echoes = 0
  const counting = listen(sessions, ['echo'], (_channel, payload) => void (echoes += payload ? 1 : 0), log)
  const announcements = openAnnouncements({ pool, sessions, log, listeners: [], echoEveryMs: 20 })
  await waitUntil('announcements arrive', announcements.arrive, 60_000)
  const client = await pool.connect()
  const before = echoes
  await waitUntil('three echoes arrive', () => echoes >= before + 3, 60_000)
  expect(announcements.arrive()).toBe(true)
  client.release()
  await announcements.stop()
  await pool.end()
  await counting.stop()
})
