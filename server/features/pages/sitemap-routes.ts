import { open } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'
import type { OfferedLanguages } from '#contract/languages.ts'
import { pageNames } from '#contract/pages.ts'
import {
  isSitemapStart,
  listMenuIds,
  listSitemapVideosAfter,
  selectSitemapStarts,
  type Catalog,
  type ReleasedVideo,
} from '#server/features/catalog/catalog.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { DocumentFiles } from '#server/platform/document-files.ts'
import { networkSlotLimits } from '#server/platform/http/limits/concurrency-slots.ts'
import { sendBounded } from '#server/platform/http/sending/send-bounded.ts'
import type { Slots } from '#server/platform/http/limits/concurrency-slots.ts'
import type { ResourceLimits } from '#server/platform/config/read-resource-limits.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { escapeMarkup, languageAlternates } from './head/build-head.ts'

export interface SitemapContext extends Pick<Catalog, 'readDb'> {
  clock: Clock
  publicUrl: string
  /** Returns the languages that the site offers. */
  languages(): OfferedLanguages
  documentFiles: DocumentFiles
  concurrencySlots: Slots
  resourceLimits: ResourceLimits
}

const videosPerChunk = 500
const xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
const xmlNamespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/**
 * Serves /robots.txt, the index /sitemap.xml, and the files that the index lists: one for pages, the others for videos
 * in order of release.
 */
export function sitemapRoutes(context: SitemapContext): PlainRoute[] {
  const { readDb, clock, publicUrl, languages } = context
  const cache = createResponseCache<Buffer>(clock, { stale: true })
  const cachedRoute = (path: string, type: string, load: () => Promise<string>): PlainRoute => ({
    method: 'GET',
    path,
    async handle(_request, reply) {
      // All clients share the buffer. If the body were a string, each slow client would occupy a copy.
      const bytes = await cache.get(path, async () => Buffer.from(await load()))
      return reply.type(`${type}; charset=utf-8`).send(bytes)
    },
  })
  return [
    cachedRoute('/robots.txt', 'text/plain', async () => renderRobotsTxt(publicUrl)),
    cachedRoute('/sitemap.xml', 'application/xml', async () => {
      const files = (await selectSitemapStarts(readDb)).map(
        (start) => `/sitemaps/videos/${videoFileName(start)}`,
      )
      return renderSitemapIndex(['/sitemaps/pages.xml', ...files].map((path) => publicUrl + path))
    }),
    cachedRoute('/sitemaps/pages.xml', 'application/xml', async () => {
      const menu = (await listMenuIds(readDb)).map((id) => `/browse/${id}`)
      const paths = ['/', '/shopping', ...menu, ...pageNames.map((name) => `/${name}`)]
      const pages = paths.map((path) => ({ address: publicUrl + path }))
      return `${openUrls}${pages.map((page) => renderUrl(page, languages())).join('')}${closeUrls}`
    }),
    {
      method: 'GET',
      path: '/sitemaps/videos/:start',
      async handle(request, reply) {
        const { start: name = '' } = request.params as { start?: string }
        const start = parseVideoFileName(name)
        if (!start) return reply.code(404).send()
        // Takes the slot before the query, so that a rejected request costs as little as possible under load.
        const releaseSlot = takeSlot(context, request.ip)
        try {
          if (await isSitemapStart(readDb, start))
            return await sendVideoSitemap(context, reply, start, releaseSlot)
        } catch (error) {
          releaseSlot()
          throw error
        }
        releaseSlot()
        return reply.code(404).send()
      },
    },
  ]
}

const videoFileName = ({ at, id }: ReleasedVideo) => `${at.getTime()}-${id}.xml`

/** Returns the first video of the file with this name; undefined if no file has such a name. */
function parseVideoFileName(name: string): ReleasedVideo | undefined {
  const [, time, id] = /^(\d+)-(\w+)\.xml$/.exec(name) ?? []
  const at = new Date(Number(time))
  if (id === undefined || Number.isNaN(at.getTime())) return undefined
  const start = { at, id }
  return videoFileName(start) === name ? start : undefined
}

function takeSlot({ concurrencySlots, resourceLimits }: SitemapContext, ip: string): () => void {
  return concurrencySlots.take([
    ...networkSlotLimits('large answers', ip, resourceLimits.largeResponsesPerNetwork),
    ['large answers', resourceLimits.largeResponses],
  ])
}

/**
 * Sends a sitemap of videos from a file on disk, because the sitemap has several megabytes.
 * @param releaseSlot called once, after sending
 */
async function sendVideoSitemap(
  { readDb, publicUrl, languages, documentFiles, resourceLimits }: SitemapContext,
  reply: FastifyReply,
  start: ReleasedVideo,
  releaseSlot: () => void,
): Promise<FastifyReply> {
  const path = await documentFiles.pathOf(`sitemap ${videoFileName(start)} ${languages().join()}`, () =>
    generateVideoSitemap(readDb, publicUrl, languages(), start),
  )
  const file = await open(path)
  reply.type('application/xml; charset=utf-8').header('content-length', (await file.stat()).size)
  const stream = file.createReadStream()
  return sendBounded(reply, stream, {
    maxDurationMs: resourceLimits.exportSeconds * 1000,
    onDone: releaseSlot,
  })
}

/** Yields the chunks of a sitemap of videos, beginning with the video `start`. */
async function* generateVideoSitemap(
  db: Db,
  publicUrl: string,
  languages: OfferedLanguages,
  start: ReleasedVideo,
): AsyncGenerator<string> {
  const render = ({ at, id }: ReleasedVideo) =>
    renderUrl({ address: `${publicUrl}/videos/${id}`, at }, languages)
  yield openUrls + render(start)
  let last: ReleasedVideo | undefined = start
  while (last) {
    const videos = await listSitemapVideosAfter(db, last, videosPerChunk)
    yield videos.map(render).join('')
    last = videos.length === videosPerChunk ? videos.at(-1) : undefined
  }
  yield closeUrls
}

/**
 * Renders /robots.txt. Crawlers that render pages need the API, so only media, checkout, telemetry and webhooks are
 * excluded.
 */
function renderRobotsTxt(publicUrl: string): string {
  const disallowedPaths = ['/media/', '/order/', '/sandbox/', '/api/statics.png', '/api/webhook/']
  return [
    'User-agent: *',
    ...disallowedPaths.map((path) => `Disallow: ${path}`),
    `Sitemap: ${publicUrl}/sitemap.xml`,
    '',
  ].join('\n')
}

function renderSitemapIndex(addresses: readonly string[]): string {
  const files = addresses.map((address) => `<sitemap><loc>${escapeMarkup(address)}</loc></sitemap>\n`)
  return `${xml}<sitemapindex ${xmlNamespace}>\n${files.join('')}</sitemapindex>\n`
}

const openUrls = `${xml}<urlset ${xmlNamespace} xmlns:xhtml="http://www.w3.org/1999/xhtml">\n`
const closeUrls = '</urlset>\n'

function renderUrl({ address, at }: { address: string; at?: Date }, languages: OfferedLanguages): string {
  const alternates = languageAlternates(address, languages).map(
    ([lang, href]) => `<xhtml:link rel="alternate" hreflang="${lang}" href="${escapeMarkup(href)}"/>`,
  )
  const changed = at ? `<lastmod>${at.toISOString()}</lastmod>` : ''
  return `<url><loc>${escapeMarkup(address)}</loc>${changed}${alternates.join('')}</url>\n`
}
