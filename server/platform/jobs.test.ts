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

const start = async (...given: Job[]) => {
  // The shortest time between two looks that pg-boss takes.
  const jobs = await startJobs(database.pool, given, createLog({ json: true, level: 'silent' }), 0.5)
  started.push(jobs)
  return jobs
}
const hourly = { everySeconds: 3600, wakeOn: 'bell' }

test('a job runs as soon as its channel is notified, once more where that comes while it runs', async () => {
  let runs = 0
  let marks = 0
  const gates: (() => void)[] = []
  const woken = {
    name: 'woken',
    ...hourly,
    run: async () => {
      runs++
      await new Promise<void>((resolve) => gates.push(resolve))
    },
  }
  const marked = { name: 'marked', ...hourly, wakeOn: 'mark', run: async () => void marks++ }
  await start(woken, marked)
  // Both the clock and the beginning of listening ask for each.
  await expect.poll(() => [runs, marks]).toEqual([2, 2])
  const pass = () => gates.splice(0).forEach((open) => open())
  /** Notifies the job, and waits until the listener has heard of it: the mark comes after. */
  const heard = async () => {
    const before = marks
    await database.pool.query("SELECT pg_notify('bell', ''), pg_notify('mark', '')")
    await expect.poll(() => marks).toBe(before + 1)
  }
  pass()
  await heard()
  await expect.poll(() => runs).toBe(3)
  await heard()
  expect(runs).toBe(3)
  pass()
  await expect.poll(() => runs).toBe(4)
  pass()
})

test('a lost connection is made again, and what was missed meanwhile is looked for', async () => {
  let runs = 0
  await start({ name: 'again', ...hourly, run: async () => void runs++ })
  await expect.poll(() => runs).toBe(2)
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
  )
  await expect.poll(() => runs).toBe(3)
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
