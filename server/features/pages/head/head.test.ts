import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { languages } from '#contract/languages.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { createHeadLoader } from './load-head.ts'

let site: TestSite
let video: BuiltVideo
const title = 'Salt </script><b>"&'

beforeAll(async () => {
  site = await startTestSite({}, { PUBLIC_URL: 'https://drama.example', ALLOW_SANDBOX: '1' })
  video = await buildVideo(site.context, { episodes: 3, freeEpisodes: 1 })
  await site.context.db
    .updateTable('videos')
    .set({
      titles: JSON.stringify({ en: title, dy: 'Salz' }),
      synopses: JSON.stringify({ en: `A <i>long</i> story. ${'word '.repeat(80)}` }),
      cover_path: 'public/cover.jpg',
      released_at: '2026-03-04T05:06:07Z',
    })
    .where('id', '=', video.id)
    .execute()
})
afterAll(() => site.close())

const open = async (path: string) => {
  const response = await site.visitor({ 'accept-language': 'en' }).fetch(path)
  return { status: response.status, html: await response.text() }
}
const addressesOf = (html: string, rel: string) =>
  [...html.matchAll(new RegExp(`<link rel="${rel}"[^>]*href="([^"]*)"`, 'g'))].map(([, href]) => href)
const metaOf = (html: string, name: string) =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html)?.[1]

describe("a video's document", () => {
  it('cannot be broken by the content of a title or synopsis', async () => {
    const { html } = await open(`/videos/${video.id}`)
    expect(html).not.toContain('</script><b>')
    expect(html).not.toContain('<i>')
    expect(html).toContain('<title>Salt &#60;/script&#62;&#60;b&#62;&#34;&#38; · Cliffhanger</title>')
    expect(metaOf(html, 'og:title')).toBe('Salt &#60;/script&#62;&#60;b&#62;&#34;&#38;')
    expect(metaOf(html, 'description')?.length).toBeLessThan(240)
    expect(metaOf(html, 'og:image')).toBe('https://drama.example/public/cover.jpg')
    expect(metaOf(html, 'twitter:card')).toBe('summary_large_image')
  })

  it('describes the video to search engines, but names no media file', async () => {
    const { html } = await open(`/videos/${video.id}?episode=3`)
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? []
    expect(JSON.parse(json)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'VideoObject',
      name: title,
      description: expect.stringContaining('A <i>long</i> story.'),
      url: `https://drama.example/videos/${video.id}`,
      thumbnailUrl: ['https://drama.example/public/cover.jpg'],
      uploadDate: '2026-03-04T05:06:07.000Z',
      duration: expect.stringMatching(/^PT\d+M\d+S$/),
    })
    expect(json).not.toContain('/media/')
    expect(addressesOf(html, 'canonical')).toEqual([`https://drama.example/videos/${video.id}`])
  })

  it('has a version in each language, which links to the others', async () => {
    const { html } = await open(`/videos/${video.id}?lang=dy&fbclid=1`)
    const address = `https://drama.example/videos/${video.id}`
    expect(html).toContain('<title>Salz · Cliffhanger</title>')
    expect(metaOf(html, 'og:locale')).toBe('de_DE')
    expect(addressesOf(html, 'canonical')).toEqual([`${address}?lang=de`])
    expect(addressesOf(html, 'alternate')).toEqual([
      ...['en', 'es', 'fr', 'de', 'pt'].map((lang) => `${address}?lang=${lang}`),
      address,
    ])
    expect(html).toContain('hreflang="x-default"')
  })
})

test.each([
  ['/', 'Cliffhanger', undefined],
  ['/?lang=fr', 'Cliffhanger', undefined],
  ['/shopping', 'Plans: watch every episode · Cliffhanger', undefined],
  ['/refundPolicy', 'Refund policy · Cliffhanger', undefined],
  ['/my', 'My account · Cliffhanger', 'noindex'],
  ['/searchDetail/dark%20%3Cb%3E', 'dark &#60;b&#62; · Cliffhanger', 'noindex'],
])(
  '%s has the expected title, a description, and a canonical address if it is indexed',
  async (path, words, robots) => {
    const { status, html } = await open(path)
    expect(status).toBe(200)
    expect(html).toContain(`<title>${words}</title>`)
    expect(metaOf(html, 'robots')).toBe(robots)
    expect(metaOf(html, 'description')?.length).toBeGreaterThan(40)
    expect(addressesOf(html, 'canonical')).toHaveLength(robots ? 0 : 1)
  },
)

test.each(languages)(
  'the homepage, the search and the plan page have different descriptions in %s',
  async (lang) => {
    const heads = await Promise.all(['/', '/search', '/shopping'].map((path) => open(`${path}?lang=${lang}`)))
    expect(new Set(heads.map(({ html }) => metaOf(html, 'description'))).size).toBe(3)
  },
)

test("a page without its own image has the site's icon as image, and that icon exists", async () => {
  const { html } = await open('/shopping')
  const image = metaOf(html, 'og:image')
  expect(image).toMatch(/^https:\/\/drama\.example\/icons\//)
  expect([metaOf(html, 'twitter:image'), metaOf(html, 'twitter:card')]).toEqual([image, 'summary'])
  const icon = await site.visitor().fetch(new URL(image ?? '').pathname)
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png'])
})

test.each([
  '/videos/vid_none',
  '/browse/cat_none',
  '/browse/%00',
  '/more/sec_none',
  '/searchDetail/tag_none',
  '/x"><b>',
])('%s is HTTP 404 and not indexed', async (path) => {
  const { status, html } = await open(path)
  expect(status).toBe(404)
  expect(metaOf(html, 'robots')).toBe('noindex')
  expect(html).not.toContain('<b>')
})

test('a listing whose name cannot be loaded is sent, but not indexed', async () => {
  const transformQuery = vi.fn((): never => {
    throw new Error('the database is away')
  })
  const readDb = site.context.db.withPlugin({ transformQuery, transformResult: async ({ result }) => result })
  const load = createHeadLoader({ ...site.context, readDb })
  const head = await load({
    route: '/browse/:id',
    id: 'cat_1',
    path: '/browse/cat_1',
    language: 'en',
    firstScreen: undefined,
  })
  expect(transformQuery).toHaveBeenCalled()
  expect(head).toMatchObject({ indexed: false, missing: false })
})

describe('the sitemap', () => {
  it('is named by /robots.txt, and lists every published video in each language', async () => {
    await buildVideo(site.context)
    expect((await open('/robots.txt')).html).toContain('\nSitemap: https://drama.example/sitemap.xml\n')
    const { html: index } = await open('/sitemap.xml')
    const files = [...index.matchAll(/<loc>https:\/\/drama\.example([^<]*)<\/loc>/g)].map(
      ([, path]) => path ?? '',
    )
    const [pages = '', ...videoFiles] = await Promise.all(files.map(async (path) => (await open(path)).html))
    expect(files[0]).toBe('/sitemaps/pages.xml')
    expect(pages).toContain('<loc>https://drama.example/serviceAgreement</loc>')
    const videos = videoFiles.join('')
    expect(videos).toContain(`<loc>https://drama.example/videos/${video.id}</loc><lastmod>2026-03-04`)
    expect(videos).toContain(`hreflang="fr" href="https://drama.example/videos/${video.id}?lang=fr"`)
    expect(videos.match(/<url>/g)).toHaveLength(2)
  })

  it('serves only the files that its index lists', async () => {
    const { html: index } = await open('/sitemap.xml')
    const [, start = ''] = /sitemaps\/videos\/([^<]*)\.xml/.exec(index) ?? []
    const [time = '', id = ''] = start.split('-')
    expect((await open(`/sitemaps/videos/${start}.xml`)).status).toBe(200)
    for (const name of [`${Number(time) + 1}-${id}`, `${time}-${id}x`, `0${start}`, '0-a', 'NaN-'])
      expect((await open(`/sitemaps/videos/${name}.xml`)).status).toBe(404)
  })

  it('has a file for the videos before the first that starts a file, and one for the videos from each of these', async () => {
    const { pool } = site.context.database
    // The numbers of two videos that start a file, with more videos in between than are read at once.
    const { rows } = await pool.query<{ from: number; to: number }>(`
      SELECT n AS from, next AS to FROM (
        SELECT n, lead(n) OVER (ORDER BY n) AS next FROM generate_series(10, 50000) n WHERE hashtext('vid_' || n) & 2047 = 0
      ) starts WHERE next - n > 600 ORDER BY next - n LIMIT 1`)
    const { from = 0, to = 0 } = rows[0] ?? {}
    await pool.query(`
      SET LOCAL session_replication_role = replica;
      INSERT INTO videos (id, slug, titles, synopses, state, free_episodes, currency, episode_cents, video_cents, released_at)
        SELECT 'vid_' || n, n, '{"en": "Listed"}', '{"en": ""}', 'published', 3, 'USD', 99, 999, '2020-01-01'::timestamptz + n * interval '1 s'
        FROM generate_series(${from} - 2, ${to}) n`)
    const nameOf = (n: number) => `/sitemaps/videos/${Date.UTC(2020, 0, 1) + n * 1000}-vid_${n}.xml`
    /** Waits until the index, which is cached for a second, lists these files or not. */
    const waitUntilListed = (isListed: boolean) =>
      vi.waitFor(async () => {
        expect((await open('/sitemap.xml')).html.includes(nameOf(from))).toBe(isListed)
      }, 10_000)
    onTestFinished(async () => {
      await pool.query('DELETE FROM videos WHERE titles = \'{"en": "Listed"}\'')
      await waitUntilListed(false)
    })
    await waitUntilListed(true)
    const { html: index } = await open('/sitemap.xml')
    const names = [from - 2, from, to].map(nameOf)
    expect([...index.matchAll(/\/sitemaps\/videos\/[^<]*/g)].map(([path]) => path).slice(0, 3)).toEqual(names)
    const videosOf = async (path: string) =>
      [...(await open(path)).html.matchAll(/<loc>[^<]*\/(vid_[^<]*)</g)].map(([, id]) => id)
    const ids = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) => `vid_${first + index}`)
    expect(await videosOf(nameOf(from - 2))).toEqual(ids(from - 2, from - 1))
    expect(await videosOf(nameOf(from))).toEqual(ids(from, to - 1))
    expect((await open(nameOf(from + 1))).status).toBe(404)
  })

  it('limits the concurrent large responses to each network', async () => {
    const { html: index } = await open('/sitemap.xml')
    const [path = ''] = /\/sitemaps\/videos\/[^<]*/.exec(index) ?? []
    const { largeResponsesPerNetwork } = site.context.resourceLimits
    const shares = [['large answers of 127.0.0.1', largeResponsesPerNetwork]] as const
    const all: (() => void)[] = []
    // A response may occupy a slot for a short time after the client has read it.
    await vi.waitFor(() => {
      while (all.length < largeResponsesPerNetwork) all.push(site.context.concurrencySlots.take(shares))
    }, 60_000)
    const refused = await fetch(site.directUrl + path)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    for (const done of all) done()
    expect((await fetch(site.directUrl + path)).status).toBe(200)
  })

  test.each(['x.xml', '1-a.xml.xml', `1-${'a'.repeat(65)}.xml`])('returns 404 for %s', async (name) => {
    expect((await open(`/sitemaps/videos/${name}`)).status).toBe(404)
  })
})
