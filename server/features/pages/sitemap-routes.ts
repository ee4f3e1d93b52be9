import type { OfferedLanguages } from '#contract/languages.ts'
import { pageNames } from '#contract/pages.ts'
import { listMenuIds, listVideosFrom, startsOfVideos } from '#server/features/catalog/catalog.ts'
import { createAnswerCache } from '#server/platform/answer-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { escapeMarkup, formsOf } from './build-head.ts'

export interface SitemapContext {
  db: Db
  clock: Clock
  publicUrl: string
  /** Those that are offered. */
  languages(): OfferedLanguages
}

/** The format allows 50,000; with every language's form of each page that would be 40 MB. */
const perFile = 5000
const xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
const sitemaps = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** /robots.txt, /sitemap.xml, which names the files, and the files: one of pages, the others of videos in their order. */
export function sitemapRoutes({ db, clock, publicUrl, languages }: SitemapContext): PlainRoute[] {
  const cache = createAnswerCache<string>(clock)
  const give = (path: string, type: string, load: (name: string) => Promise<string>): PlainRoute => ({
    method: 'GET',
    path,
    async handle(request, reply) {
      const { start = '' } = request.params as { start?: string }
      const text = await cache.get(`${path} ${start}`, () => load(start))
      return reply
        .type(`${type}; charset=utf-8`)
        .code(text === '' ? 404 : 200)
        .send(text)
    },
  })
  return [
    give('/robots.txt', 'text/plain', async () => robots(publicUrl)),
    give('/sitemap.xml', 'application/xml', async () => {
      const starts = await startsOfVideos(db, perFile)
      const files = starts.map(({ at, id }) => `/sitemaps/videos/${at.getTime()}-${id}.xml`)
      return index(['/sitemaps/pages.xml', ...files].map((path) => publicUrl + path))
    }),
    give('/sitemaps/pages.xml', 'application/xml', async () => {
      const menu = (await listMenuIds(db)).map((id) => `/browse/${id}`)
      const paths = ['/', '/shopping', ...menu, ...pageNames.map((name) => `/${name}`)]
      return urls(
        paths.map((path) => ({ address: publicUrl + path })),
        languages(),
      )
    }),
    give('/sitemaps/videos/:start', 'application/xml', async (start) => {
      const [, time, id] = /^(\d{1,15})-(\w{1,64})\.xml$/.exec(start) ?? []
      if (time === undefined || id === undefined) return ''
      const videos = await listVideosFrom(db, { at: new Date(Number(time)), id }, perFile)
      return urls(
        videos.map(({ at, id }) => ({ address: `${publicUrl}/videos/${id}`, at })),
        languages(),
      )
    }),
  ]
}

/** Crawlers that draw the pages need the calls; media and what belongs to paying are nothing for them. */
function robots(publicUrl: string): string {
  const closed = ['/media/', '/order/', '/sandbox/', '/api/statics.png', '/api/webhook/']
  return [
    'User-agent: *',
    ...closed.map((path) => `Disallow: ${path}`),
    `Sitemap: ${publicUrl}/sitemap.xml`,
    '',
  ].join('\n')
}

function index(addresses: readonly string[]): string {
  const files = addresses.map((address) => `<sitemap><loc>${escapeMarkup(address)}</loc></sitemap>\n`)
  return `${xml}<sitemapindex ${sitemaps}>\n${files.join('')}</sitemapindex>\n`
}

function urls(pages: readonly { address: string; at?: Date }[], languages: OfferedLanguages): string {
  const entries = pages.map(({ address, at }) => {
    const forms = formsOf(address, languages).map(
      ([lang, href]) => `<xhtml:link rel="alternate" hreflang="${lang}" href="${escapeMarkup(href)}"/>`,
    )
    const changed = at ? `<lastmod>${at.toISOString()}</lastmod>` : ''
    return `<url><loc>${escapeMarkup(address)}</loc>${changed}${forms.join('')}</url>\n`
  })
  return `${xml}<urlset ${sitemaps} xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${entries.join('')}</urlset>\n`
}
