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
import type { InstallContext } from './install/pwa-routes.ts'
import type { FirstScreen } from './first-screen/load-first-screen.ts'
import {
  createThirdPartyHostsLoader,
  paymentFormHosts,
  staticHosts,
  type ThirdPartyHostsContext,
} from './third-party-hosts.ts'
import { createHeadLoader, type HeadContext } from './head/load-head.ts'

export type DocumentsContext = ThirdPartyHostsContext &
  InstallContext &
  HeadContext & { documents: Documents; languages(): OfferedLanguages }

type Request = Parameters<PlainRoute['handle']>[0]
type Reply = Parameters<PlainRoute['handle']>[1]
type Caller = Parameters<PlainRoute['handle']>[2]

/** One of the site's documents, at one of its addresses. */
interface DocumentRequest {
  name: DocumentName
  /** Route pattern of the web's router, such as `/videos/:id`. */
  route: string
  language: Language
  /** The data that describes an episode's page in its head. */
  firstScreen?: FirstScreen | undefined
  isDatabaseAway?: boolean
  preloaded?: PreloadedData | undefined
}

/** Data that a document includes, so that its first screen need not wait. */
interface PreloadedData {
  boot: object
  /** Address of the largest image. */
  imageUrl: string | undefined
  /** Markup of the image itself, placed before any script. */
  element?: string | undefined
  /** Whether the image is the poster of an episode that plays at once. */
  plays?: boolean
}

/** Returns the language in a request's `?lang=` parameter. */
function languageParam({ url }: Request, offered: OfferedLanguages): Language | undefined {
  return languageFromTag(new URLSearchParams(url.split('?')[1]).get('lang') ?? '', offered)
}

/** Returns the requested language of a document: its `?lang=` parameter, otherwise the browser's first preference that the site offers. */
export function requestedLanguage(request: Request, offered: OfferedLanguages): Language | undefined {
  return languageParam(request, offered) ?? acceptedLanguage(request.headers['accept-language'], offered)
}

function offeredLanguages(context: DocumentsContext, { url }: Request): OfferedLanguages {
  return /^\/studio(?=[/?]|$)/.test(url) ? languages : context.languages()
}

/** Returns the requested language, otherwise the user's stored one. A document is sent even if the user cannot be looked up. */
export async function loadPageLanguage(
  context: DocumentsContext,
  request: Request,
  caller: Caller,
): Promise<Language> {
  const offered = offeredLanguages(context, request)
  const asked = requestedLanguage(request, offered)
  if (asked) return asked
  try {
    return (await caller()).language
  } catch {
    return offered[0]
  }
}

/** Returns flags for the document's scripts: whether it is the offline shell, and whether pixels are configured. */
function flagMetaTags({ name, route }: DocumentRequest, { script }: ThirdPartyHosts): string {
  const names = [route === '/offline' && 'offline', name === 'index' && script.length > 0 && 'pixels']
  return names.map((flag) => (flag ? `<meta name="${flag}">` : '')).join('')
}

/** Creates the function that sends a document with its head, its policy and its data. */
export function createDocumentSender(context: DocumentsContext) {
  const loadHead = createHeadLoader(context)
  const loadForeignHosts = createThirdPartyHostsLoader(context)
  const renderHead = async (
    request: Request,
    reply: Reply,
    { language, route, firstScreen, isDatabaseAway }: DocumentRequest,
  ) => {
    const [path = '/'] = request.url.split('?')
    const { id } = request.params as { id?: string }
    const head = await loadHead({ route, id, path, language, firstScreen, isDatabaseAway })
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
    // Browsers can keep the shell after a pixel is removed, so its policy allows no pixel.
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
    // The error reporter's profiler runs only if the document allows it.
    if (context.sentryDsn && name === 'index') reply.header('document-policy', 'js-profiling')
    return sendCompressed(request, reply.type('text/html; charset=utf-8'), html)
  }
}
