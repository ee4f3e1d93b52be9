import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { listJobs } from '#contract/studio/system.ts'
import { aggregateDailyRevenue } from '#server/features/billing/reporting/daily-revenue.ts'
import { receiveEvent, writeEvents } from '#server/features/tracking/write-events.ts'
import { dayMs, hourMs } from '#server/platform/clock.ts'
import { startJobs } from '#server/platform/jobs/jobs.ts'
import { createLog } from '#server/platform/log.ts'
import { formatUtcDay } from '#server/platform/utc-days.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import {
  balanceSite,
  unlockFromBalance,
  createShopperWithBalance,
} from '#server/testing/site/balance-site.ts'
import { buyEpisode, type BillingSite } from '#server/testing/site/billing-site.ts'
import { studioJobs } from '#server/features/studio/studio.ts'
import { aggregateFunnel } from './aggregate-funnel.ts'
import { verifyBalances, verifyDay } from './verify-aggregates.ts'

let site: BillingSite
let owner: TestOperator
let day: string
beforeAll(async () => {
  site = await balanceSite()
  // Begins with a day, so that no day ends during the tests.
  site.advanceClock(dayMs - (site.context.clock.now().getTime() % dayMs))
  await buyEpisode(site)
  await unlockFromBalance(site, (await createShopperWithBalance(site)).shopper)
  const now = site.context.clock.now()
  day = formatUtcDay(now)
  const sent = (name: string, fields: Record<string, string>) =>
    receiveEvent({ name, fields, fbclid: undefined, ttclid: undefined }, now, '192.0.2.1', null)
  await writeEvents(site.context, [
    sent('visit', {}),
    sent('visit', { referrer_token: 'somebody' }),
    sent('paywall', { video_id: site.video.id, first: '1' }),
    sent('paywall', { video_id: site.video.id }),
  ])
  await aggregateFunnel(site.context.db)
  // Moves the clock on until the day is complete.
  site.advanceClock(dayMs + hourMs)
  await aggregateDailyRevenue(site.context)
  owner = await signInOperator(site, 'owner')
})
afterAll(() => site.close())

const run = (statement: string) => site.context.database.pool.query(statement)

const tables = ['daily_revenue', 'funnel_revenue', 'funnel_counts']
const addOneCent = "UPDATE balance_lots SET remaining_cents = remaining_cents + 1 WHERE kind = 'paid'"
const removeOneCent = "UPDATE balance_lots SET remaining_cents = remaining_cents - 1 WHERE kind = 'paid'"

/** Runs a statement that falsifies sums. Restores them when the returned function is called, or when the test ends. */
async function corruptSums(statement: string): Promise<() => Promise<void>> {
  for (const table of tables) await run(`CREATE TABLE saved_${table} AS TABLE ${table}`)
  await run(statement)
  let isRestored = false
  const restore = async () => {
    if (isRestored) return
    isRestored = true
    for (const table of tables)
      await run(
        `TRUNCATE ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}; DROP TABLE saved_${table}`,
      )
  }
  onTestFinished(restore)
  return restore
}

test('no difference is found if the sums match their sources', async () => {
  expect(await verifyDay(site.context, day)).toEqual([])
})

test.each([
  [
    'the daily revenue',
    "UPDATE daily_revenue SET sums = jsonb_set(sums, '{revenue,0,gross_cents}', '1')",
    /daily revenue: gross_cents 1 USD instead of \d+/,
  ],
  [
    'the revenue of a token',
    "UPDATE funnel_revenue SET gross_cents = gross_cents + 1 WHERE kind = 'token' AND days = 1",
    /funnel by token: gross_cents/,
  ],
  [
    'the revenue of a video',
    "DELETE FROM funnel_revenue WHERE kind = 'video' AND days = 1",
    /funnel by video: gross_cents 0 USD/,
  ],
  [
    'the visits of a token',
    "UPDATE funnel_counts SET visits = 0 WHERE kind = 'token' AND days = 1",
    /funnel by token: 0 visits of 2 events/,
  ],
  [
    'the paywall views of a click',
    "UPDATE funnel_counts SET paywalls = 0 WHERE kind = 'click' AND days = 1",
    /funnel by click: 0 paywalls of 1 events/,
  ],
])('a difference is found after a change of %s', async (_what, statement, message) => {
  await corruptSums(statement)
  expect((await verifyDay(site.context, day)).join()).toMatch(message)
})

test('a difference between the balances and the deferred revenue is found', async () => {
  expect(await verifyBalances(site.context.db)).toEqual([])
  await run(addOneCent)
  onTestFinished(async () => void (await run(removeOneCent)))
  expect(await verifyBalances(site.context.db)).toEqual([
    'balances: 402 USD instead of 401 of deferred revenue',
  ])
})

test('a day is not compared before it is counted completely', async () => {
  await corruptSums(
    'UPDATE funnel_revenue SET gross_cents = 0; UPDATE funnel_counts SET visits = 0, paywalls = 0',
  )
  await run(`INSERT INTO unaggregated_ledger_lines (line_id) SELECT id FROM ledger_lines;
    INSERT INTO funnel_steps (day, step) VALUES ('${day}', 'visit')`)
  expect(await verifyDay(site.context, day)).toEqual([])
  await run('DELETE FROM unaggregated_ledger_lines; DELETE FROM funnel_steps')
  expect(await verifyDay(site.context, day)).not.toEqual([])
})

test('a difference is reported on the system page and in the log until it is resolved', async () => {
  // The job compares a random day. This random number selects the newest day, and the number 0 below the oldest day.
  const random = vi.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON)
  onTestFinished(() => random.mockRestore())
  const lines: string[] = []
  const log = createLog({ json: true, level: 'error' })
  vi.spyOn(log, 'error').mockImplementation((...words: unknown[]) => void lines.push(JSON.stringify(words)))
  const compare = studioJobs(site.context).filter(({ name }) => name === 'verify-aggregates')
  const round = async (state: 'failing' | 'ok') => {
    await run('DELETE FROM scheduled_jobs')
    const jobs = await startJobs(site.context.database.pool, compare, log)
    const job = async () =>
      (await owner.studio.callOk(listJobs)).list.find(({ name }) => name === 'verify-aggregates')
    const isOver = async () => {
      const found = await job()
      return found?.state === 'failing' || (found?.succeeded_at ?? null) !== null
    }
    await expect.poll(isOver, { timeout: 60_000 }).toBe(true)
    await jobs.stop()
    expect((await job())?.state).toBe(state)
    return (await job())?.last_error
  }
  const restore = await corruptSums(
    "UPDATE daily_revenue SET sums = jsonb_set(sums, '{revenue,0,gross_cents}', '1')",
  )
  expect(await round('failing')).toContain(`${day} (daily revenue: gross_cents 1 USD`)
  expect(lines.join()).toContain('verify-aggregates')
  random.mockReturnValue(0)
  expect(await round('failing')).toContain(day)
  await restore()
  await run(addOneCent)
  expect(await round('failing')).toContain('balances: 402 USD')
  await run(removeOneCent)
  await round('ok')
})
