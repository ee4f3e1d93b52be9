import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startJobs, type Job, type Jobs } from './jobs.ts'

let database: TestDatabase
const started: Jobs[] = []

beforeAll(async () => {
  // Jobs run in a worker, which never uses a pooler.
  database = await createTestDatabase({ direct: true })
  // Handles errors of connections in use, as the site's pool does.
  database.pool.on('connect', (client) => client.on('error', () => {}))
})
afterEach(async () => {
  for (const jobs of started.splice(0)) await jobs.stop()
})
afterAll(() => database.close())

const silent = createLog({ json: true, level: 'silent' })

const start = async (...definitions: Job[]) => {
  const jobs = await startJobs(database.pool, definitions, silent, { pollSeconds: 0.5 })
  started.push(jobs)
  return jobs
}
const hourly = { everySeconds: 3600, wakeOn: 'bell' }

test('a job runs as soon as its channel is notified, and once more if notified during a run', async () => {
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
  // The schedule and the start of listening each cause one run of each job.
  await expect.poll(() => [runs, marks]).toEqual([2, 2])
  const openGates = () => gates.splice(0).forEach((open) => open())
  /** Notifies both jobs. Once the second job has run, the listener has also received the notification of the first. */
  const waitForMessage = async () => {
    const before = marks
    await database.pool.query("SELECT pg_notify('bell', ''), pg_notify('mark', '')")
    await expect.poll(() => marks).toBe(before + 1)
  }
  openGates()
  await waitForMessage()
  await expect.poll(() => runs).toBe(3)
  await waitForMessage()
  expect(runs).toBe(3)
  openGates()
  await expect.poll(() => runs).toBe(4)
  openGates()
})

test('reconnects after a lost connection, and polls for missed notifications', async () => {
  let runs = 0
  await start({ name: 'again', ...hourly, run: async () => void runs++ })
  await expect.poll(() => runs).toBe(2)
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
  )
  await expect.poll(() => runs).toBe(3)
})

/** Marks jobs as just claimed, because a job that was never claimed runs regardless of its condition. */
const markAsClaimed = (...names: string[]) =>
  database.pool.query(
    `INSERT INTO scheduled_jobs (name, interval_seconds, claimed_at) SELECT name, 1, now() FROM unnest($1::text[]) AS job (name)`,
    [names],
  )

test('records a job with nothing to do as succeeded without running it, and runs it once there is work', async () => {
  await database.pool.query('CREATE TABLE parcels (sent boolean)')
  await markAsClaimed('parcels')
  let runs = 0
  const dueWhen = 'EXISTS (SELECT FROM parcels)'
  await start({ name: 'parcels', everySeconds: 1, dueWhen, run: async () => void runs++ })
  const succeeded = async () => {
    const { rows } = await database.pool.query(
      "SELECT FROM scheduled_jobs WHERE succeeded_at IS NOT NULL AND name = 'parcels'",
    )
    return rows.length
  }
  await expect.poll(succeeded, { timeout: 60_000 }).toBe(1)
  expect(runs).toBe(0)
  await database.pool.query('INSERT INTO parcels VALUES (false)')
  await expect.poll(() => runs, { timeout: 60_000 }).toBeGreaterThan(0)
})

test("a condition uses the site's clock", async () => {
  await markAsClaimed('timely')
  let runs = 0
  const timely = {
    name: 'timely',
    everySeconds: 1,
    dueWhen: "$1 > '2100-01-01'",
    run: async () => void runs++,
  }
  const clock = { now: () => new Date('2101-01-01') }
  started.push(await startJobs(database.pool, [timely], silent, { pollSeconds: 0.5, clock }))
  await expect.poll(() => runs, { timeout: 60_000 }).toBeGreaterThan(0)
})

test('runs a job whose condition fails to evaluate, without blocking other jobs', async () => {
  await markAsClaimed('broken', 'whole')
  const ran = new Set<string>()
  const job = (name: string) => ({ name, everySeconds: 1, run: async () => void ran.add(name) })
  await start({ ...job('broken'), dueWhen: 'no_such_column' }, job('whole'))
  await expect.poll(() => ran.size, { timeout: 60_000 }).toBe(2)
})

test('only one of several processes runs a job in each round', async () => {
  let [runs, marks] = [0, 0]
  const shared = { name: 'shared', everySeconds: 3600, run: async () => void runs++ }
  const mark = { name: 'mark', everySeconds: 1, run: async () => void marks++ }
  await Promise.all([1, 2, 3, 4].map(() => start(shared, mark)))
  await expect.poll(() => marks, { timeout: 60_000 }).toBeGreaterThan(1)
  expect(runs).toBe(1)
})

test('a process of another version keeps the jobs that are in use, and deletes the others', async () => {
  await database.pool.query(
    `INSERT INTO scheduled_jobs (name, interval_seconds, registered_at, claimed_at)
     VALUES ('removed', 60, now() - interval '1 day', now() - interval '1 hour')`,
  )
  let runs = 0
  await start({ name: 'added', everySeconds: 1, run: async () => void runs++ })
  await start({ name: 'old', ...hourly, run: async () => {} })
  const before = runs
  await expect.poll(() => runs, { timeout: 60_000 }).toBeGreaterThan(before + 1)
  const { rows } = await database.pool.query<{ name: string }>('SELECT name FROM scheduled_jobs')
  expect(rows.map(({ name }) => name)).not.toContain('removed')
})

test('the success of a frequent job is recorded once a minute, and at once after a failure', async () => {
  const query = vi.spyOn(database.pool, 'query')
  onTestFinished(() => query.mockRestore())
  const records = () =>
    query.mock.calls.filter(([text]) => String(text).includes('failing_since = NULL')).length
  let runs = 0
  let fails = false
  const run = async () => {
    runs++
    if (fails) throw new Error('no')
  }
  await markAsClaimed('frequent')
  await start({ name: 'frequent', everySeconds: 1, run })
  await expect.poll(() => runs, { timeout: 60_000 }).toBeGreaterThan(3)
  expect(records()).toBe(1)
  fails = true
  const failures = async () => {
    const { rows } = await database.pool.query<{ failures: number }>(
      "SELECT failures FROM scheduled_jobs WHERE name = 'frequent'",
    )
    return rows[0]?.failures
  }
  await expect.poll(failures, { timeout: 60_000 }).toBeGreaterThan(0)
  fails = false
  await expect.poll(failures, { timeout: 60_000 }).toBe(0)
  expect(records()).toBe(2)
})

test('closing aborts the signal of running jobs and waits for them', async () => {
  let isAborted = false
  let over = false
  const started = Promise.withResolvers<void>()
  const jobs = await start({
    name: 'closing',
    ...hourly,
    run: (signal) =>
      new Promise((resolve) => {
        started.resolve()
        signal.addEventListener('abort', () => {
          isAborted = true
          setTimeout(() => {
            over = true
            resolve()
          }, 50)
        })
      }),
  })
  await started.promise
  await jobs.stop()
  expect([isAborted, over]).toEqual([true, true])
})

test('a job that did not finish before its process closed runs at once in another process', async () => {
  const started = Promise.withResolvers<void>()
  const job = (run: Job['run']): Job => ({ name: 'interrupted', everySeconds: 86_400, run })
  const closing = await start(
    job(async (signal) => {
      started.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }),
  )
  await started.promise
  await closing.stop()
  const rerun = Promise.withResolvers<void>()
  await start(job(async () => rerun.resolve()))
  await rerun.promise
})

test('a failed daily job runs again an hour later, and then daily again', async () => {
  let runs = 0
  const job: Job = {
    name: 'daily',
    everySeconds: 86_400,
    run: async () => {
      if (++runs === 1) throw new Error('fails once')
    },
  }
  const isRecorded = async (failures: number) => {
    const { rows } = await database.pool.query(
      "SELECT FROM scheduled_jobs WHERE name = 'daily' AND failures = $1 AND (failures > 0 OR succeeded_at IS NOT NULL)",
      [failures],
    )
    return rows.length === 1
  }
  /** Runs all jobs that are due if this many minutes pass. */
  const pass = async (minutes: number) => {
    await database.pool.query(
      "UPDATE scheduled_jobs SET claimed_at = claimed_at - make_interval(mins => $1) WHERE name = 'daily'",
      [minutes],
    )
    const frequent = { runs: 0 }
    const jobs = await start(job, {
      name: 'frequent',
      everySeconds: 0,
      run: async () => void frequent.runs++,
    })
    // The second poll comes after the first has started all due jobs.
    await expect.poll(() => frequent.runs).toBeGreaterThan(1)
    await jobs.stop()
  }
  const first = await start(job)
  await expect.poll(() => isRecorded(1)).toBe(true)
  await first.stop()
  await pass(59)
  expect(runs).toBe(1)
  await pass(2)
  expect(runs).toBe(2)
  expect(await isRecorded(0)).toBe(true)
  await pass(61)
  expect(runs).toBe(2)
})

test('reports each completed run with its outcome', async () => {
  const observed: string[] = []
  const job = (name: string, run: () => Promise<void>) => ({ name, ...hourly, wakeOn: name, run })
  const jobs = await startJobs(
    database.pool,
    [job('well', async () => {}), job('ill', () => Promise.reject(new Error('no')))],
    silent,
    {
      pollSeconds: 0.5,
      observe: ({ job, outcome, seconds }) => observed.push(`${job} ${outcome} ${seconds >= 0}`),
    },
  )
  started.push(jobs)
  await expect
    .poll(() => [...new Set(observed)].toSorted())
    .toEqual(['ill failed true', 'well succeeded true'])
})
