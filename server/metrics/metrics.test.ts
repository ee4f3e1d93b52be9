import { afterAll, beforeAll, expect, it } from 'vitest'
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
