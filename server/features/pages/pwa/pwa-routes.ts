import { createHash } from 'node:crypto'
import { bcp47Tags, type Language } from '#contract/languages.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import type { Documents } from '#server/features/pages/html-documents.ts'
import type { SiteIcons } from './site-icons.ts'
import { immutableCacheControl } from '#server/platform/cache-control.ts'

export interface PwaContext {
  documents: Documents
  icons: SiteIcons
  operator: { site: string }
  translate(language: Language, key: string, values?: Record<string, unknown>): string
}

type Request = Parameters<PlainRoute['handle']>[0]

/** Serves the files that make the site installable on a phone or desktop: manifest, icons and service worker. */
export function pwaRoutes(context: PwaContext, languageOf: (request: Request) => Language): PlainRoute[] {
  const { documents, icons } = context
  return [
    {
      method: 'GET',
      path: '/manifest.webmanifest',
      handle: (request, reply) =>
        reply
          .type('application/manifest+json; charset=utf-8')
          .header('cache-control', 'public, max-age=3600')
          .header('vary', 'accept-language')
          .send(JSON.stringify(buildManifest(context, languageOf(request)))),
    },
    {
      method: 'GET',
      path: '/icons/:hash/:name',
      async handle(request, reply) {
        const { hash = '', name = '' } = request.params as { hash?: string; name?: string }
        const picture = await icons.draw(hash, name)
        if (!picture) return reply.code(404).send()
        return reply.type('image/png').header('cache-control', immutableCacheControl).send(picture)
      },
    },
    {
      method: 'GET',
      path: '/sw.js',
      handle(request, reply) {
        const script = documents.serviceWorker()
        const etag = `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`
        reply
          .type('text/javascript; charset=utf-8')
          .header('cache-control', 'no-cache')
          .header('etag', etag)
          .header('content-security-policy', "default-src 'none'; connect-src 'self'")
        return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(script)
      },
    },
  ]
}

/**
 * Builds the W3C Web Application Manifest. Its `id` must not change, because browsers identify the installed app by
 * this id.
 */
function buildManifest({ documents, icons, operator, translate }: PwaContext, language: Language): object {
  const colour = documents.background()
  return {
    id: '/',
    name: operator.site,
    short_name: operator.site,
    description: translate(language, 'heads.about'),
    lang: bcp47Tags[language],
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: colour,
    theme_color: colour,
    categories: ['entertainment'],
    icons: [
      { src: icons.address('192.png'), sizes: '192x192', type: 'image/png', purpose: 'any' },
      { src: icons.address('512.png'), sizes: '512x512', type: 'image/png', purpose: 'any' },
      { src: icons.address('maskable.png'), sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  }
}
