import { afterAll, beforeAll, expect, test } from 'vitest'
import { runKillableSite } from '#server/testing/run-killable-site.ts'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

/** Sends events for a while. @returns when each was answered */
async function sendFor(url: string, run: string, milliseconds: number): Promise<Map<string, number>> {
  const answered = new Map<string, number>()
  const end = performance.now() + milliseconds
  for (let number = 0; performance.now() < end; number++) {
    const name = `${run}_${number}`
    const response = await fetch(`${url}/api/statics.png?event=${name}`)
    expect(response.status).toBe(200)
    answered.set(name, performance.now())
  }
  return answered
}

async function writtenOf(run: string): Promise<Set<string>> {
  const rows = await database.db
    .selectFrom('events')
    .select('name')
    .where('name', 'like', `${run}\\_%`)
    .execute()
  return new Set(rows.map(({ name }) => name))
}

test.each(['one', 'two', 'three'])('a killed process loses at most its last second (%s)', async (run) => {
  const site = await runKillableSite(database.url)
  const answered = await sendFor(site.url, run, 1500 + Math.random() * 1000)
  const killedAt = performance.now()
  await site.end('SIGKILL')
  const written = await writtenOf(run)
  const due = [...answered].filter(([, at]) => at < killedAt - 1000).map(([name]) => name)
  expect(due.length).toBeGreaterThan(10)
  expect(due.filter((name) => !written.has(name))).toEqual([])
})

test('a process that is stopped loses none', async () => {
  const site = await runKillableSite(database.url)
  const answered = await sendFor(site.url, 'stopped', 300)
  await site.end('SIGTERM')
  expect(await writtenOf('stopped')).toEqual(new Set(answered.keys()))
})
