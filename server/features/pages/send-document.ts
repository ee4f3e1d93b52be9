import {
  acceptedLanguage,
  languageFromTag,
  languages,
  type Language,
  type OfferedLanguages,
} from '#contract/languages.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import { sendCompressed } from '#server/platform/http/sending/send-compressed.ts'
import { buildHead, preloadImage, pwaLinks } from './head/build-head.ts'
import { contentSecurityPolicy, type ThirdPartyHosts } from './head/content-security-policy.ts'
import type { DocumentName, Documents } from './html-documents.ts'
import type { PwaContext } from './pwa/pwa-routes.ts'
import type { FirstScreen } from './first-screen/load-first-screen.ts'
import {
  createThirdPartyHostsLoader,
  paymentFormHosts,
  staticHosts,
  type ThirdPartyHostsContext,
} from './third-party-hosts.ts'
import { createHeadLoader, type HeadContext } from './head/load-head.ts'

export type DocumentsContext = ThirdPartyHostsContext &
  PwaContext &
  HeadContext & { documents: Documents; languages(): OfferedLanguages }

type Request = Parameters<PlainRoute['handle']>[0]
type Reply = Parameters<PlainRoute['handle']>[1]
type Caller = Parameters<PlainRoute['handle']>[2]

/** A request for one of the site's documents. */
interface DocumentRequest {
  name: DocumentName
  /** The route's pattern in the web app's router, such as `/videos/:id`. */
  route: string
  language: Language
  /** First screen of a video's page. The page's head describes the video. */
  firstScreen?: FirstScreen | undefined
  isDatabaseUnavailable?: boolean
  preloaded?: PreloadedData | undefined
}

/** Data that a document includes, so that its first screen needs no further call. */
interface PreloadedData {
  boot: object
  /** Address of the largest image, which is preloaded. */
  imageUrl: string | undefined
  /** Markup of the first image or video, which precedes all scripts. */
  element?: string | undefined
  /** True if `element` is the video of an episode that plays at once. */
  plays?: boolean
}

/** Returns the language in the `?lang=` parameter of a request. */
function languageParam({ url }: Request, offered: OfferedLanguages): Language | undefined {
  return languageFromTag(new URLSearchParams(url.split('?')[1]).get('lang') ?? '', offered)
}

/**
 * Returns the language that a request asks for: its `?lang=` parameter, otherwise the browser's first preference that
 * the site offers.
 */
export function requestedLanguage(request: Request, offered: OfferedLanguages): Language | undefined {
  return languageParam(request, offered) ?? acceptedLanguage(request.headers['accept-language'], offered)
}

function offeredLanguages(context: DocumentsContext, { url }: Request): OfferedLanguages {
  return /^\/studio(?=[/?]|$)/.test(url) ? languages : context.languages()
}

/**
 * Returns the requested language, otherwise the language stored for the user. If the user cannot be loaded, returns the
 * default, so that the document is sent anyway.
 */
export async function loadPageLanguage(
  context: DocumentsContext,
  request: Request,
  caller: Caller,
): Promise<Language> {
  const offered = offeredLanguages(context, request)
  const requested = requestedLanguage(request, offered)
  if (requested) return requested
  try {
    return (await caller()).language
  } catch {
    return offered[0]
  }
}

/**
 * Returns meta tags that the document's scripts read: whether it is the offline page, and whether pixels are
 * configured.
 */
function flagMetaTags({ name, route }: DocumentRequest, { script }: ThirdPartyHosts): string {
  const names = [route === '/offline' && 'offline', name === 'index' && script.length > 0 && 'pixels']
  return names.map((flag) => (flag ? `<meta name="${flag}">` : '')).join('')
}

/** Creates a function that sends a document with its head, its Content Security Policy and its data. */
export function createDocumentSender(context: DocumentsContext) {
  const loadHead = createHeadLoader(context)
  const loadForeignHosts = createThirdPartyHostsLoader(context)
  const renderHead = async (
    request: Request,
    reply: Reply,
    { language, route, firstScreen, isDatabaseUnavailable }: DocumentRequest,
  ) => {
    const [path = '/'] = request.url.split('?')
    const { id } = request.params as { id?: string }
    const head = await loadHead({ route, id, path, language, firstScreen, isDatabaseUnavailable })
    if (head.missing) reply.code(404)
    const hasLanguageParam = languageParam(request, offeredLanguages(context, request)) !== undefined
    const site = {
      site: context.operator.site,
      publicUrl: context.publicUrl,
      icon: context.icons.address('maskable.png'),
      languages: context.languages(),
    }
    return buildHead(site, head, language, hasLanguageParam) + pwaLinks(context)
  }
  const thirdPartyHostsOf = async ({ name, route }: DocumentRequest) => {
    if (name === 'order') return paymentFormHosts(context.gateways)
    // A browser may have cached the offline page before a pixel was removed, so the policy of this page allows no
    // pixel.
    return name === 'index' && route !== '/offline' ? loadForeignHosts() : staticHosts(context)
  }
  return async (request: Request, reply: Reply, documentRequest: DocumentRequest) => {
    const { name, route, language, preloaded } = documentRequest
    const thirdPartyHosts = await thirdPartyHostsOf(documentRequest)
    const head =
      (await renderHead(request, reply, documentRequest)) +
      flagMetaTags(documentRequest, thirdPartyHosts) +
      preloadImage(preloaded?.imageUrl, preloaded?.plays)
    const parts = {
      head,
      boot: preloaded?.boot,
      imageHtml: preloaded?.element,
      plays: preloaded?.plays === true,
    }
    const { html, nonce } = context.documents.render(name, route, language, parts)
    reply
      .header('content-security-policy', contentSecurityPolicy(name, nonce, thirdPartyHosts))
      .header('cache-control', 'no-store')
    // The profiler of the error reporter runs only if the document allows it.
    if (context.sentryDsn && name === 'index') reply.header('document-policy', 'js-profiling')
    return sendCompressed(request, reply.type('text/html; charset=utf-8'), html)
  }
}
