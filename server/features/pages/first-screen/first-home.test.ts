import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { createFirstPlansLoader } from './load-first-plans.ts'
import { firstCover, createHomeLoader } from './load-home.ts'

let site: TestSite
let video: BuiltVideo

beforeAll(async () => {
  site = await startTestSite()
  video = await buildVideo(site.context, { episodes: 1, freeEpisodes: 1 })
  await site.context.db
    .updateTable('videos')
    .set({ cover_path: 'public/cover.jpg', titles: JSON.stringify({ en: 'Salt', dy: 'Salz' }) })
    .where('id', '=', video.id)
    .execute()
})
afterAll(() => site.close())

const open = async (headers: Record<string, string>, path = '/') => {
  const html = await (await fetch(site.url + path, { headers })).text()
  const [, boot] = /<script type="application\/json" id="boot">(.*?)<\/script>/.exec(html) ?? []
  return { html, boot: boot === undefined ? undefined : JSON.parse(boot) }
}

test('a new visitor’s document includes the homepage as the API returns it, and preloads its first image', async () => {
  const headers = { 'accept-language': 'de' }
  const { html, boot } = await open(headers)
  const answer = await fetch(`${site.url}/api/homepage`, { headers })
  const { info } = (await answer.json()) as { info: object }
  expect(boot).toEqual({ language: 'dy', homepage: info })
  expect(JSON.stringify(info)).toContain('Salz')
  expect(html).toContain('<link rel="preload" as="image" href="/public/cover.jpg" fetchpriority="high">')
})

test('the first cover of the homepage is large only in a carousel', async () => {
  // Contains only the part of a homepage that `firstCover` reads.
  const home = (kind: 'carousel' | 'row') => ({
    language: 'en' as const,
    homepage: { homepage: [{ kind, items: [{ cover_url: '/public/cover.jpg' }] }] } as never,
  })
  expect(firstCover(home('carousel'))).toEqual({ address: '/public/cover.jpg', large: true })
  expect(firstCover(home('row'))).toEqual({ address: '/public/cover.jpg', large: false })
})

test('the document for a client with a cookie includes no homepage, because the homepage may have personal sections', async () => {
  expect((await open({ cookie: 'any=thing' })).boot).toBeUndefined()
})

test('the document of the plan page includes the plans as the API returns them, also for clients with a cookie', async () => {
  const headers = { 'accept-language': 'de', cookie: 'any=thing' }
  const { boot } = await open(headers, '/shopping')
  const { data } = (await (await fetch(`${site.url}/api/plan`, { headers })).json()) as { data: object }
  expect(boot).toEqual({ language: 'dy', plans: data })
  expect(JSON.stringify(data)).toContain('"price_cents":2499')
})

test('the loaders of preloaded data return undefined while the database is down', async () => {
  // Every access to a property of this database fails.
  const unavailable = {} as typeof site.context.db
  const context = { ...site.context, db: unavailable, readDb: unavailable }
  expect(await createHomeLoader(context)('en')).toBeUndefined()
  expect(await createFirstPlansLoader(context)('en')).toBeUndefined()
})

test.each([
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['identity', null],
])('a browser that accepts %s gets the page with the encoding %s', async (accepted, encoding) => {
  const answer = await fetch(`${site.url}/`, { headers: { 'accept-encoding': accepted } })
  expect(answer.headers.get('content-encoding')).toBe(encoding)
  expect(answer.headers.get('vary')).toBe('accept-encoding')
  expect(await answer.text()).toContain('<title>Cliffhanger</title>')
})
