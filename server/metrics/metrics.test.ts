import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FastifyInstance } from 'fastify'
import { getEpisode } from '#contract/media.ts'
import { createSite } from '#server/site.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { createMetrics, type Metrics } from './create-metrics.ts'

let testSite: TestSite
let site: FastifyInstance
let metrics: Metrics
let siteUrl: string
let metricsUrl: string

beforeAll(async () => {
  testSite = await startTestSite()
  const address = { host: '127.0.0.1', port: await freePort() }
  metricsUrl = `http://${address.host}:${address.port}/metrics`
  metrics = createMetrics(testSite.context, address)
  await metrics.listen()
  site = await createSite(testSite.context, { metrics })
  siteUrl = await site.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await site.close()
  await metrics.close()
  await testSite.close()
})

/** Returns the lines of a metric without its prefix. */
async function readMetric(name: string): Promise<string[]> {
  const text = await (await fetch(metricsUrl)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(`cliffhanger_${name}{`))
    .map((line) => line.replace(`cliffhanger_${name}`, ''))
}

it('counts the calls that are refused for lack of an entitlement', async () => {
  const { episodes } = await buildVideo(testSite.context)
  const visitor = visitorFactory(siteUrl)()
  const play = (index: number) =>
    visitor.call(getEpisode, { query: { episode_id: episodes[index]?.id ?? '' } })
  for (const index of [0, 3, 4]) await play(index)
  expect(await readMetric('refusals_total')).toEqual([`{route="${getEpisode.path}",reason="locked"} 2`])
})

describe('the queue age of a scheduled job', () => {
  const run = (text: string) => testSite.context.database.pool.query(text)
  const ages = async () => {
    const lines = await readMetric('job_queue_age_seconds')
    const entries = lines.map((line) => /^\{job="(.*)"\} (.*)$/.exec(line)?.slice(1) ?? [])
    return new Map(entries.map(([job = '', seconds]) => [job, Number(seconds)]))
  }
  /** Makes it look as if the workers stopped an hour ago: no job has been claimed since then. */
  beforeEach(async () => {
    await run('DELETE FROM mails')
    await run('DELETE FROM scheduled_jobs')
    await run(`INSERT INTO scheduled_jobs (name, interval_seconds, claimed_at, succeeded_at)
      SELECT name, 60, now() - interval '1 hour', now() - interval '1 hour'
      FROM unnest(ARRAY['send-mails', 'check-health', 'job-of-another-version']) AS job (name)`)
  })

  it('counts from the time when the job was due, and is 0 while the job has nothing to do', async () => {
    const idle = await ages()
    expect([...idle.keys()].toSorted()).toEqual(['check-health', 'send-mails'])
    expect(idle.get('check-health')).toBeGreaterThanOrEqual(3540)
    expect(idle.get('send-mails')).toBe(0)
    await run(
      `INSERT INTO mails (id, recipient, template, language, fields) VALUES ('1', 'a@example.com', 'code', 'en', '{}')`,
    )
    expect((await ages()).get('send-mails')).toBeGreaterThanOrEqual(3540)
  })

  it('counts from the first failure of a job that fails each time', async () => {
    await run(
      `UPDATE scheduled_jobs SET claimed_at = now(), failures = 9, failing_since = now() - interval '2 hours'`,
    )
    expect((await ages()).get('send-mails')).toBeGreaterThanOrEqual(7200)
  })

  it('is 0 until the job is due again, and counts from the registration of a job that has never run', async () => {
    await run(
      `UPDATE scheduled_jobs SET claimed_at = now(), interval_seconds = 86400 WHERE name = 'check-health'`,
    )
    expect((await ages()).get('check-health')).toBe(0)
    await run(
      `UPDATE scheduled_jobs SET claimed_at = NULL, succeeded_at = NULL, registered_at = now() - interval '3 hours'`,
    )
    expect((await ages()).get('check-health')).toBeGreaterThanOrEqual(10_800)
  })
})
