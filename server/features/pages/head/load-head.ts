import type { Language } from '#contract/languages.ts'
import { pageNames, type Page } from '#contract/pages.ts'
import { loadListingName, type Catalog, type ListingKind } from '#server/features/catalog/catalog.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Head } from './build-head.ts'
import { buildVideoHead } from './video-head.ts'
import type { FirstScreen } from '#server/features/pages/first-screen/load-first-screen.ts'
import { loadPage, type PageContext } from '#server/features/pages/text-pages/load-page.ts'
import { plainText } from '#server/features/pages/text-pages/parse-markdown.ts'

export interface HeadContext extends PageContext, Pick<Catalog, 'readDb'> {
  clock: Clock
  translate(language: Language, key: string, values?: Record<string, unknown>): string
}

interface StaticHead {
  /** Translation key of the title. */
  key: string
  indexed: boolean
  /** Translation key of the description. The default is the site's description. */
  text?: string
}

/**
 * Heads of routes whose title and description do not depend on data. `indexed: false` excludes personal and technical
 * pages from search engines.
 */
const staticHeads: Record<string, StaticHead> = {
  '/': { key: 'home', indexed: true },
  '/search': { key: 'search', indexed: true, text: 'searchText' },
  '/shopping': { key: 'shopping', indexed: true, text: 'shoppingText' },
  '/login': { key: 'signIn', indexed: false },
  '/register': { key: 'register', indexed: false },
  '/retrievePassword': { key: 'retrievePassword', indexed: false },
  '/favorites': { key: 'favorites', indexed: false },
  '/historys': { key: 'history', indexed: false },
  '/unlocked': { key: 'unlocked', indexed: false },
  '/individual': { key: 'individual', indexed: false },
  '/my': { key: 'my', indexed: false },
  '/order/result': { key: 'orderResult', indexed: false },
  '/order/easy': { key: 'payment', indexed: false },
  '/offline': { key: 'home', indexed: false },
  '/studio': { key: 'home', indexed: false },
  '/studio/*': { key: 'home', indexed: false },
}
/** Head of a route that has no entry in `staticHeads`: the site's name and description. */
const defaultHead: StaticHead = { key: 'home', indexed: true }
const missing: StaticHead = { key: 'notFound', indexed: false }

export interface HeadRequest {
  /** The route's pattern, and the value of its `:id` parameter. */
  route: string
  id: string | undefined
  /** Path of the URL, without the query. */
  path: string
  language: Language
  firstScreen: FirstScreen | undefined
  /** True if the database is down. Then it is unknown whether the page's video or listing exists. */
  isDatabaseUnavailable?: boolean | undefined
}

/**
 * Creates a function that returns the head of a page. Names and texts are cached, and each is loaded at most once a
 * second.
 */
export function createHeadLoader(context: HeadContext): (request: HeadRequest) => Promise<Head> {
  const { clock, operator, publicUrl, translate } = context
  const names = createResponseCache<string | undefined>(clock, { stale: true })
  const pages = createResponseCache<Page>(clock, { stale: true })
  const staticHead = ({ route, path, language }: HeadRequest): Head => {
    const { key, indexed, text = 'about' } = route === '*' ? missing : (staticHeads[route] ?? defaultHead)
    const title = key === 'home' ? operator.site : translate(language, `heads.${key}`)
    const description = translate(language, `heads.${text}`)
    return { title, description, path, indexed, missing: route === '*' }
  }
  const listing = async (request: HeadRequest): Promise<Head> => {
    const { route, id = '', path, language } = request
    const kind = listingKind(route, id)
    if (kind === undefined) return { ...staticHead(request), title: id, indexed: false }
    const load = () => loadListingName(context.readDb, kind, id, language)
    const name = /^\w+$/.test(id) ? await names.get(`${language} ${kind} ${id}`, load) : undefined
    if (name === undefined) return staticHead({ ...request, route: '*' })
    return { title: name, description: translate(language, 'heads.listing', { name }), path, indexed: true }
  }
  const text = async ({ path, language }: HeadRequest, name: string): Promise<Head> => {
    const load = () => loadPage(context, name, language)
    const { title, blocks } = await pages.get(`${language} ${name}`, load)
    const first = blocks.find(({ kind }) => kind === 'paragraph')
    return { title, description: plainText(first?.lines[0] ?? []), path, indexed: true }
  }
  return async (request) => {
    const { route, firstScreen, path } = request
    const page = pageNames.find((name) => route === `/${name}`)
    if (firstScreen) return buildVideoHead(firstScreen, path, publicUrl)
    if (request.isDatabaseUnavailable) return { ...staticHead(request), indexed: false }
    if (route === '/videos/:id') return staticHead({ ...request, route: '*' })
    // The page is sent even if a text or name cannot be loaded. Search engines must not index a listing without its
    // name.
    if (page) return text(request, page).catch(() => staticHead(request))
    return listingRoutes.has(route)
      ? listing(request).catch(() => ({ ...staticHead(request), indexed: false }))
      : staticHead(request)
  }
}

const listingRoutes = new Set(['/browse/:id', '/more/:id', '/searchDetail/:id'])

/**
 * Returns the kind of a listing. Returns undefined for a search term, because search engines must not index an
 * unlimited number of pages.
 */
function listingKind(route: string, id: string): ListingKind | undefined {
  if (route === '/browse/:id') return 'category'
  if (route === '/more/:id') return 'section'
  return id.startsWith('tag_') ? 'tag' : undefined
}
