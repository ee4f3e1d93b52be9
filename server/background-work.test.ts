import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveHistory } from '#contract/library.ts'
import { requestPasswordReset } from '#contract/members.ts'
import { cancelByLink } from '#contract/consumer-rights.ts'
import { dayMs, hourMs } from '#server/platform/clock.ts'
import { findDueJobs } from './platform/jobs/claim-jobs.ts'
import { defaultPollSeconds } from './platform/jobs/jobs.ts'
import { createLog } from '#server/platform/log.ts'
import { scheduledJobs } from '#server/scheduled-jobs.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const log = createLog({ json: true, level: 'silent' })
let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

/** Returns the conditional jobs that would run at this time. */
async function dueAt(now = new Date()): Promise<string[]> {
  const jobs = scheduledJobs(site.context).filter(({ dueWhen }) => dueWhen !== undefined)
  const { pool } = site.context.database
  await pool.query('DELETE FROM scheduled_jobs')
  // Each job's interval is over, but not by so much that the job runs regardless of its condition.
  await pool.query(
    `INSERT INTO scheduled_jobs (name, interval_seconds, claimed_at)
     SELECT name, 10, now() - interval '1 minute' FROM unnest($1::text[]) AS job (name)`,
    [jobs.map(({ name }) => name)],
  )
  return (await findDueJobs(pool, jobs, now, log)).due.toSorted()
}

const runOnce = async (...names: string[]) => {
  for (const { name, run } of scheduledJobs(site.context))
    if (names.includes(name)) await run(new AbortController().signal)
}

test('no conditional job is due on an idle site', async () => {
  expect(await dueAt()).toEqual([])
})

test('the site looks for due jobs as often as the most frequent job runs', () => {
  const intervals = scheduledJobs(site.context).map(({ everySeconds }) => everySeconds)
  expect(Math.min(...intervals)).toBe(defaultPollSeconds)
})

test("a job is due after a viewer's action until it has run", async () => {
  const { id, episodes } = await buildVideo(site.context)
  const { visitor } = await Shopper.create(site)
  const body = {
    video_id: id,
    episode_id: episodes[0]?.id ?? '',
    position_ms: 1,
    at: new Date().toISOString(),
  }
  await visitor.callOk(saveHistory, { body })
  await visitor.callOk(requestPasswordReset, { body: { email: 'nobody@example.com' } })
  await visitor.callOk(cancelByLink, { body: { email: 'nobody@example.com' } })
  const due = [
    'aggregate-episode-viewers',
    'aggregate-funnel',
    'aggregate-plays',
    'send-order-links',
    'send-reset-links',
    'update-next-watched',
  ]
  expect(await dueAt()).toEqual(due)
  await runOnce(...due)
  expect(await dueAt()).toEqual([])
})

test('the billing janitor is due once an unpaid order has expired', async () => {
  const shopper = await Shopper.create(site)
  const { episodes } = await buildVideo(site.context)
  await shopper.order({ episode_id: episodes[3]?.id ?? '' })
  expect(await dueAt()).toEqual([])
  expect(await dueAt(new Date(Date.now() + dayMs))).toContain('billing-janitor')
})

test('the renewals job is due once the period of a subscription has ended', async () => {
  const shopper = await Shopper.create(site)
  const plan = await shopper.plan(7)
  const order = await shopper.order({ kind: 'plan', plan_id: plan.id })
  await shopper.tryPay(order.id, await shopper.cardToken())
  expect(await dueAt(new Date(Date.now() + 6 * dayMs))).not.toContain('billing-renewals')
  expect(await dueAt(new Date(Date.now() + 7 * dayMs + hourMs))).toContain('billing-renewals')
})
