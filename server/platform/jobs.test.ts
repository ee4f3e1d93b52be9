import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'
import { startJobs, type Job, type Jobs } from './jobs.ts'

let database: TestDatabase
const started: Jobs[] = []

beforeAll(async () => {
  database = await testDatabase()
  // As the site's own pool does: a connection that breaks while in use tells so.
  database.pool.on('connect', (client) => client.on('error', () => {}))
})
afterEach(async () => {
  for (const jobs of started.splice(0)) await jobs.stop()
})
afterAll(() => database.close())

const start = async (job: Job) => {
  const jobs = await startJobs(database.pool, [job], createLog({ json: true, level: 'silent' }))
  started.push(jobs)
  return jobs
}
const notify = () => database.pool.query("SELECT pg_notify('bell', '')")
const hourly = { everySeconds: 3600, wakeOn: 'bell' }

test('a job runs as soon as its channel is notified, once more where that comes while it runs', async () => {
  let runs = 0
  const gates: (() => void)[] = []
  await start({
    name: 'woken',
    ...hourly,
    run: async () => {
      runs++
      await new Promise<void>((resolve) => gates.push(resolve))
    },
  })
  const settle = async () => {
    while (gates.length > 0) gates.shift()?.()
  }
  // Both the clock and the beginning of listening ask for it.
  await expect.poll(() => runs, { timeout: 10_000 }).toBeGreaterThanOrEqual(2)
  await settle()
  const before = runs
  await expect
    .poll(
      async () => {
        await notify()
        return runs
      },
      { timeout: 1000 },
    )
    .toBe(before + 1)
  await notify()
  await settle()
  await expect.poll(() => runs, { timeout: 1000 }).toBe(before + 2)
  await settle()
})

test('a lost connection is made again, and what was missed meanwhile is looked for', async () => {
  let runs = 0
  await start({ name: 'again', ...hourly, run: async () => void runs++ })
  await expect.poll(() => runs, { timeout: 10_000 }).toBe(2)
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
  )
  await expect.poll(() => runs, { timeout: 5000 }).toBe(3)
})

test('closing waits for what is under way and says so to it', async () => {
  let told = false
  let over = false
  const begun = Promise.withResolvers<void>()
  const jobs = await start({
    name: 'closing',
    ...hourly,
    run: (signal) =>
      new Promise((resolve) => {
        begun.resolve()
        signal.addEventListener('abort', () => {
          told = true
          setTimeout(() => {
            over = true
            resolve()
          }, 50)
        })
      }),
  })
  await begun.promise
  await jobs.stop()
  expect([told, over]).toEqual([true, true])
})
