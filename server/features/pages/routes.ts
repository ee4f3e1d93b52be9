import { apiDocsRoutes } from './api-docs-routes.ts'
import { isDatabaseUnavailable } from '#server/platform/database/database-unavailable.ts'
import { sendBuiltFile } from '#server/platform/http/sending/send-built-file.ts'
import { sendFile } from '#server/platform/http/sending/send-file.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import { firstPosterElement, firstVideoElement } from './head/build-head.ts'
import type { DocumentName } from './html-documents.ts'
import {
  requestedLanguage,
  createDocumentSender,
  loadPageLanguage,
  type DocumentsContext,
} from './send-document.ts'
import { pwaRoutes } from './pwa/pwa-routes.ts'
import { createFirstPlansLoader, type FirstPlansContext } from './first-screen/load-first-plans.ts'
import { loadFirstScreen, type FirstScreenContext } from './first-screen/load-first-screen.ts'
import { firstCover, createHomeLoader, type HomeContext } from './first-screen/load-home.ts'
import { sitemapRoutes, type SitemapContext } from './sitemap-routes.ts'

/**
 * Routes of the web's router (web/lib/paths.ts) whose documents contain no data. A path that matches no route gets the
 * not-found screen with HTTP 404.
 */
const screens = [
  '/browse/:id',
  '/more/:id',
  '/search',
  '/searchDetail/:id',
  '/individual',
  '/my',
  '/login',
  '/register',
  '/retrievePassword',
  '/favorites',
  '/historys',
  '/unlocked',
  '/order/result',
  '/serviceAgreement',
  '/privacyPolicy',
  '/refundPolicy',
  '/contentPolicy',
  '/commonQuestions',
  '/contactUs',
]

export type PagesContext = FirstScreenContext &
  HomeContext &
  FirstPlansContext &
  DocumentsContext &
  SitemapContext & {
    webRoot: string
    /** Whether Swagger UI is served at /api/docs. */
    apiDocs: boolean
  }

type Handle = PlainRoute['handle']

export function pagesRoutes(context: PagesContext): PlainRoute[] {
  const sendDocument = createDocumentSender(context)
  const get = (path: string, handle: Handle): PlainRoute => ({ method: 'GET', path, handle })
  const document = (route: string, name: DocumentName) =>
    get(route, async (request, reply, caller) =>
      sendDocument(request, reply, {
        name,
        route,
        language: await loadPageLanguage(context, request, caller),
      }),
    )
  return [
    ...screens.map((path) => document(path, 'index')),
    document('/order/easy', 'order'),
    document('/studio', 'studio'),
    document('/studio/*', 'studio'),
    get('/', sendHome(context, sendDocument)),
    get('/shopping', sendPlans(context, sendDocument)),
    get('/videos/:id', sendVideo(context, sendDocument)),
    get('/assets/*', (request, reply) => {
      const { '*': file } = request.params as { '*': string }
      return sendBuiltFile(request, reply, context.webRoot, file)
    }),
    get('/favicon.svg', (request, reply) =>
      sendFile(request, reply, context.webRoot, 'favicon.svg', { maxAge: '1h' }),
    ),
    ...pwaRoutes(
      context,
      (request) => requestedLanguage(request, context.languages()) ?? context.languages()[0],
    ),
    // The page that the service worker shows while the browser is offline.
    document('/offline', 'index'),
    ...sitemapRoutes(context),
    ...(context.apiDocs ? apiDocsRoutes() : []),
    get('/*', async (request, reply, caller) => {
      const language = await loadPageLanguage(context, request, caller)
      return sendDocument(request, reply.code(404), { name: 'index', route: '*', language })
    }),
  ]
}

/**
 * Returns 'unavailable' if the database is down. The document is then sent without data. Its script repeats the calls,
 * and continues to play media that is already loaded.
 */
function ignoreDatabaseDown(error: unknown): 'unavailable' {
  if (isDatabaseUnavailable(error)) return 'unavailable'
  throw error
}

type SendDocument = ReturnType<typeof createDocumentSender>

function sendHome(context: PagesContext, sendDocument: SendDocument): Handle {
  const loadHome = createHomeLoader(context)
  return async (request, reply, caller) => {
    const language = await loadPageLanguage(context, request, caller)
    // A visitor without cookies has no personal sections. Other clients load the homepage from the API or from the
    // browser's cache.
    const isNew = Object.keys(request.cookies).length === 0
    const home = isNew ? await loadHome(language) : undefined
    const cover = home && firstCover(home)
    const element = cover?.large ? firstPosterElement(cover.address) : undefined
    const preloaded = home && { boot: home, imageUrl: cover?.address, element }
    return sendDocument(request, reply, { name: 'index', route: '/', language, preloaded })
  }
}

function sendPlans(context: PagesContext, sendDocument: SendDocument): Handle {
  const loadFirstPlans = createFirstPlansLoader(context)
  return async (request, reply, caller) => {
    const language = await loadPageLanguage(context, request, caller)
    const boot = await loadFirstPlans(language)
    const preloaded = boot && { boot, imageUrl: undefined }
    return sendDocument(request, reply, { name: 'index', route: '/shopping', language, preloaded })
  }
}

function sendVideo(context: PagesContext, sendDocument: SendDocument): Handle {
  return async (request, reply, caller) => {
    const { id } = request.params as { id: string }
    const language = await loadPageLanguage(context, request, caller)
    const number = Number(new URLSearchParams(request.url.split('?')[1]).get('episode'))
    const firstScreenRequest = {
      cookies: request.cookies,
      language,
      videoId: id,
      episodeNumber: Number.isInteger(number) && number > 0 ? number : undefined,
    }
    const page = { name: 'index', route: '/videos/:id', language } as const
    // Rejects ids in another format before the query, because PostgreSQL refuses strings that contain a NUL.
    const firstScreen = /^\w+$/.test(id)
      ? await loadFirstScreen(context, firstScreenRequest).catch(ignoreDatabaseDown)
      : undefined
    if (firstScreen === 'unavailable')
      return sendDocument(request, reply, { ...page, isDatabaseUnavailable: true })
    const poster = firstScreen?.playable?.playback.poster_url
    const preloaded = firstScreen && {
      boot: firstScreen,
      imageUrl: poster,
      element: poster && firstVideoElement(poster),
      plays: poster !== undefined,
    }
    return sendDocument(request, firstScreen ? reply : reply.code(404), { ...page, firstScreen, preloaded })
  }
}
