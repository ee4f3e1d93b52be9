import { afterAll, beforeAll, expect, it } from 'vitest'
import { listPlans } from '#contract/billing.ts'
import { getHomepage, getVideo, listTags, queryHomepage } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import { getHealth, getReady } from '#contract/health.ts'
import { getPage } from '#contract/pages.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { staleMs } from '#server/platform/response-cache.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { startDatabaseProxy, type DatabaseProxy } from '#server/testing/database/database-proxy.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Tables } from '#server/tables.ts'

let own: TestDatabase
let proxy: DatabaseProxy
let site: TestSite
let video: BuiltVideo
let now = Date.now()
const advanceClock = (ms: number) => void (now += ms)

beforeAll(async () => {
  own = await createTestDatabase()
  proxy = await startDatabaseProxy(own.url)
  const log = createLog({ json: true, level: 'silent' })
  const settings = { dataDir: '', databaseUrl: proxy.url, migrate: false }
  const database = await openDatabase<Tables>(settings, log)
  site = await startTestSite({ clock: { now: () => new Date(now) }, database })
  video = await buildVideo(site.context, { title: 'Harbour Lights' })
})
afterAll(async () => {
  await site.close()
  await proxy.stop()
  await own.close()
})

/** Sends the requests of an anonymous visitor. @returns the status of each response */
async function visit(): Promise<Record<string, number>> {
  const visitor = site.visitor()
  const [first] = video.episodes
  const calls = [
    visitor.call(getHomepage),
    visitor.call(queryHomepage),
    visitor.call(queryHomepage, { query: { keyword: 'harbour' } }),
    visitor.call(listTags, { query: { keyword: 'harb' } }),
    visitor.call(getVideo, { query: { id: video.id } }),
    visitor.call(getEpisode, { query: { video_id: video.id } }),
    visitor.call(getEpisode, { query: { episode_id: first?.id ?? '' } }),
    visitor.call(listPlans),
    visitor.call(getPage, { query: { name: 'privacyPolicy' } }),
  ]
  const names = ['home', 'list', 'search', 'tags', 'video', 'episodes', 'episode', 'plans', 'text']
  const statuses = (await Promise.all(calls)).map(({ status }, at) => [names[at] ?? '', status] as const)
  const paths = ['/', `/videos/${video.id}`, '/shopping', '/sitemap.xml']
  const pages = await Promise.all(
    paths.map(async (path) => [path, (await visitor.fetch(path)).status] as const),
  )
  return Object.fromEntries([...statuses, ...pages])
}

const statusOf = async (call: typeof getHealth | typeof getReady) => (await site.visitor().call(call)).status

it('continues to show and play public content for ten minutes without a database', async () => {
  const before = await visit()
  expect(new Set(Object.values(before))).toEqual(new Set([200]))
  await proxy.stop()
  advanceClock(2000)
  expect(await visit()).toEqual(before)
  advanceClock(staleMs - 3000)
  expect(await visit()).toEqual(before)
  expect([await statusOf(getHealth), await statusOf(getReady)]).toEqual([200, 503])
  advanceClock(3000)
  expect(await visit()).toEqual({
    ...before,
    ...Object.fromEntries(
      ['home', 'list', 'search', 'tags', 'video', 'episodes', 'episode', 'plans', 'text', '/sitemap.xml'].map(
        (name) => [name, 503],
      ),
    ),
  })
  await proxy.restart()
  advanceClock(2000)
  await expect.poll(visit).toEqual(before)
})
