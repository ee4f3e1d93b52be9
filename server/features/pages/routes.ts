import {
  firstLanguage,
  languageOf,
  languages,
  type Language,
  type OfferedLanguages,
} from '#contract/languages.ts'
import type { Catalog } from '#server/features/catalog/catalog.ts'
import type { MediaContext } from '#server/features/media/media.ts'
import type { MembersContext } from '#server/features/members/members.ts'
import { sendCompressed } from '#server/platform/http/send-compressed.ts'
import { sendPrecompressed } from '#server/platform/http/send-precompressed.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import type { DocumentName, Documents } from './documents.ts'
import { buildHead, firstPoster, firstVideo, pictureAhead, siteLinks } from './build-head.ts'
import { loadFirstScreen, type FirstScreen } from './load-first-screen.ts'
import { firstPlansLoader, type FirstPlansContext } from './load-first-plans.ts'
import { firstCover, homeLoader, type HomeContext } from './load-home.ts'
import { headLoader, type HeadContext } from './load-head.ts'
import { installRoutes, type InstallContext } from './install-routes.ts'
import { sitemapRoutes } from './sitemap-routes.ts'
import {
  foreignHostsLoader,
  formHosts,
  lastingHosts,
  type ForeignHostsContext,
} from './load-foreign-hosts.ts'

/** What a document brings along, so that its first screen need not wait. */
interface Ahead {
  boot: object
  /** The address of the largest picture. */
  picture: string | undefined
  /** The picture itself, in an element that stands before any script. */
  element?: string | undefined
  /** Whether it is an episode's, which plays at once. */
  plays?: boolean
}

/** What the web's router knows (web/lib/paths.ts); any other path is the not-found screen with HTTP 404. */
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

export type PagesContext = Catalog &
  MediaContext &
  MembersContext &
  ForeignHostsContext &
  InstallContext &
  HomeContext &
  FirstPlansContext &
  HeadContext & { webRoot: string; documents: Documents }

type Request = Parameters<PlainRoute['handle']>[0]
type Reply = Parameters<PlainRoute['handle']>[1]

type Caller = Parameters<PlainRoute['handle']>[2]

/** What a request's `?lang=` form says of the language (product.md, section 2). */
function formOf({ url }: Request, offered: OfferedLanguages): Language | undefined {
  return languageOf(new URLSearchParams(url.split('?')[1]).get('lang') ?? '', offered)
}

/** What a request says of a document's language: its `?lang=` form, else the browser's first that is offered. */
function askedLanguage(request: Request, offered: OfferedLanguages): Language | undefined {
  return formOf(request, offered) ?? firstLanguage(request.headers['accept-language'], offered)
}

export function pagesRoutes(context: PagesContext): PlainRoute[] {
  const { webRoot, documents, operator, publicUrl, icons } = context
  const loadHead = headLoader(context)
  const offeredTo = (request: Request) =>
    /^\/studio(?=[/?]|$)/.test(request.url) ? languages : context.languages()
  /** Where the request says nothing, the person's own. A document comes, even where nobody can be looked up. */
  const languageOfPage = async (request: Request, caller: Caller): Promise<Language> => {
    const offered = offeredTo(request)
    const asked = askedLanguage(request, offered)
    if (asked) return asked
    try {
      return (await caller()).language
    } catch {
      return offered[0]
    }
  }
  const headOf = async (
    request: Request,
    reply: Reply,
    language: Language,
    route: string,
    firstScreen?: FirstScreen,
  ) => {
    const [path = '/'] = request.url.split('?')
    const { id } = request.params as { id?: string }
    const head = await loadHead({ route, id, path, language, firstScreen })
    if (head.missing) reply.code(404)
    const asked = formOf(request, offeredTo(request)) !== undefined
    const mark = route === '/offline' ? '<meta name="offline">' : ''
    const site = {
      site: operator.site,
      publicUrl,
      icon: icons.address('maskable.png'),
      languages: context.languages(),
    }
    return buildHead(site, head, language, asked) + siteLinks(context) + mark
  }
  const loadForeignHosts = foreignHostsLoader(context)
  // Browsers keep the shell for longer than a pixel may be set up: it grants none.
  const hostsFor = async (route: string) =>
    route === '/offline' ? lastingHosts(context) : loadForeignHosts()
  const foreignOf = async (name: DocumentName, route: string) => {
    if (name === 'index') return hostsFor(route)
    return name === 'order' ? formHosts(context.gateways) : lastingHosts(context)
  }
  const give = async (
    request: Request,
    reply: Reply,
    language: Language,
    name: DocumentName,
    route: string,
    video?: FirstScreen,
    ahead?: Ahead,
  ) => {
    const foreign = await foreignOf(name, route)
    const head =
      (await headOf(request, reply, language, route, video)) + pictureAhead(ahead?.picture, ahead?.plays)
    const parts = { head, boot: ahead?.boot, picture: ahead?.element, plays: ahead?.plays === true }
    const { html, nonce } = documents.render(name, route, language, parts)
    reply
      .header('content-security-policy', contentSecurityPolicy(name, nonce, foreign))
      .header('cache-control', 'no-store')
    // The error reporting's profiler runs only where the document lets it.
    if (context.sentryDsn && name === 'index') reply.header('document-policy', 'js-profiling')
    return sendCompressed(request, reply.type('text/html; charset=utf-8'), html)
  }
  const document = (path: string, name: DocumentName): PlainRoute => ({
    method: 'GET',
    path,
    handle: async (request, reply, caller) =>
      give(request, reply, await languageOfPage(request, caller), name, path),
  })
  const loadHome = homeLoader(context)
  const loadFirstPlans = firstPlansLoader(context)
  return [
    ...screens.map((path) => document(path, 'index')),
    document('/order/easy', 'order'),
    document('/studio', 'studio'),
    document('/studio/*', 'studio'),
    {
      method: 'GET',
      path: '/',
      async handle(request, reply, caller) {
        const language = await languageOfPage(request, caller)
        // Whoever brings a cookie may have sections of their own, and keeps the homepage in the browser.
        const isNew = Object.keys(request.cookies).length === 0
        const home = isNew ? await loadHome(language) : undefined
        const cover = home && firstCover(home)
        const element = cover?.large ? firstPoster(cover.address) : undefined
        const ahead = home && { boot: home, picture: cover?.address, element }
        return give(request, reply, language, 'index', '/', undefined, ahead)
      },
    },
    {
      method: 'GET',
      path: '/shopping',
      async handle(request, reply, caller) {
        const language = await languageOfPage(request, caller)
        const boot = await loadFirstPlans(language)
        const ahead = boot && { boot, picture: undefined }
        return give(request, reply, language, 'index', '/shopping', undefined, ahead)
      },
    },
    {
      method: 'GET',
      path: '/videos/:id',
      async handle(request, reply, caller) {
        const { id } = request.params as { id: string }
        const language = await languageOfPage(request, caller)
        const number = Number(new URLSearchParams(request.url.split('?')[1]).get('episode'))
        // No id of ours looks otherwise, and PostgreSQL cannot take every text (NUL).
        const wanted = {
          cookies: request.cookies,
          language,
          videoId: id,
          episodeNumber: Number.isInteger(number) && number > 0 ? number : undefined,
        }
        const boot = /^\w+$/.test(id) ? await loadFirstScreen(context, wanted) : undefined
        const poster = boot?.playable?.playback.poster_url
        const ahead = boot && {
          boot,
          picture: poster,
          element: poster && firstVideo(poster),
          plays: poster !== undefined,
        }
        return give(request, boot ? reply : reply.code(404), language, 'index', '/videos/:id', boot, ahead)
      },
    },
    {
      method: 'GET',
      path: '/assets/*',
      handle: (request, reply) =>
        sendPrecompressed(request, reply, webRoot, `assets/${(request.params as { '*': string })['*']}`),
    },
    {
      method: 'GET',
      path: '/favicon.svg',
      handle: (request, reply) => sendPrecompressed(request, reply, webRoot, 'favicon.svg'),
    },
    ...installRoutes(
      context,
      (request) => askedLanguage(request, context.languages()) ?? context.languages()[0],
    ),
    // The shell that the service worker keeps, for when no other document can be had.
    document('/offline', 'index'),
    ...sitemapRoutes(context),
    {
      method: 'GET',
      path: '/*',
      handle: async (request, reply, caller) =>
        give(request, reply.code(404), await languageOfPage(request, caller), 'index', '*'),
    },
  ]
}
