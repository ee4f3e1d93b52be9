import { afterAll, beforeAll, expect, test } from 'vitest'
import { runKillableSite } from '#server/testing/site/run-killable-site.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/**
 * Sends events sequentially.
 * @returns their names
 */
async function send(url: string, run: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, number) => `${run}_${number}`)
  for (const name of names) {
    const response = await fetch(`${url}/api/statics.png?event=${name}`)
    expect(response.status).toBe(200)
  }
  return names
}

async function writtenOf(run: string): Promise<string[]> {
  const rows = await database.db
    .selectFrom('events')
    .select('name')
    .where('name', 'like', `${run}\\_%`)
    .execute()
  return rows.map(({ name }) => name)
}

// This test waits for the first events without measuring the time. buffer-events.test.ts checks that events are written
// within a second.
test('the events that a process wrote before it was killed remain', async () => {
  const site = await runKillableSite(database.url)
  const due = await send(site.url, 'due', 20)
  await expect.poll(() => writtenOf('due')).toEqual(expect.arrayContaining(due))
  const late = await send(site.url, 'late', 20)
  await site.end('SIGKILL')
  expect(await writtenOf('due')).toHaveLength(due.length)
  expect(late).toEqual(expect.arrayContaining(await writtenOf('late')))
})

test('a process that is stopped loses no events', async () => {
  const site = await runKillableSite(database.url)
  const sent = await send(site.url, 'stopped', 20)
  await site.end('SIGTERM')
  expect((await writtenOf('stopped')).toSorted()).toEqual(sent.toSorted())
})
