import {
  firstLanguage,
  languageOf,
  languages,
  type Language,
  type OfferedLanguages,
} from '#contract/languages.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import { sendCompressed } from '#server/platform/http/sending/send-compressed.ts'
import { buildHead, pictureAhead, siteLinks } from './head/build-head.ts'
import { contentSecurityPolicy, type ForeignHosts } from './head/content-security-policy.ts'
import type { DocumentName, Documents } from './documents.ts'
import type { InstallContext } from './install/install-routes.ts'
import type { FirstScreen } from './first-screen/load-first-screen.ts'
import {
  foreignHostsLoader,
  formHosts,
  lastingHosts,
  type ForeignHostsContext,
} from './load-foreign-hosts.ts'
import { headLoader, type HeadContext } from './head/load-head.ts'

export type DocumentsContext = ForeignHostsContext &
  InstallContext &
  HeadContext & { documents: Documents; languages(): OfferedLanguages }

type Request = Parameters<PlainRoute['handle']>[0]
type Reply = Parameters<PlainRoute['handle']>[1]
type Caller = Parameters<PlainRoute['handle']>[2]

/** One of the site's documents, at one of its addresses. */
interface Wanted {
  name: DocumentName
  /** Route pattern of the web's router, such as `/videos/:id`. */
  route: string
  language: Language
  /** The data that describes an episode's page in its head. */
  firstScreen?: FirstScreen | undefined
  isDatabaseAway?: boolean
  ahead?: Ahead | undefined
}

/** Data that a document includes, so that its first screen need not wait. */
interface Ahead {
  boot: object
  /** Address of the largest image. */
  picture: string | undefined
  /** Markup of the image itself, placed before any script. */
  element?: string | undefined
  /** Whether the image is the poster of an episode that plays at once. */
  plays?: boolean
}

/** Returns the language in a request's `?lang=` parameter. */
function formOf({ url }: Request, offered: OfferedLanguages): Language | undefined {
  return languageOf(new URLSearchParams(url.split('?')[1]).get('lang') ?? '', offered)
}

/** Returns the requested language of a document: its `?lang=` parameter, otherwise the browser's first preference that the site offers. */
export function askedLanguage(request: Request, offered: OfferedLanguages): Language | undefined {
  return formOf(request, offered) ?? firstLanguage(request.headers['accept-language'], offered)
}

function offeredTo(context: DocumentsContext, { url }: Request): OfferedLanguages {
  return /^\/studio(?=[/?]|$)/.test(url) ? languages : context.languages()
}

/** Returns the requested language, otherwise the user's stored one. A document is sent even if the user cannot be looked up. */
export async function languageOfPage(
  context: DocumentsContext,
  request: Request,
  caller: Caller,
): Promise<Language> {
  const offered = offeredTo(context, request)
  const asked = askedLanguage(request, offered)
  if (asked) return asked
  try {
    return (await caller()).language
  } catch {
    return offered[0]
  }
}

/** Returns flags for the document's scripts: whether it is the offline shell, and whether pixels are configured. */
function marksOf({ name, route }: Wanted, { script }: ForeignHosts): string {
  const names = [route === '/offline' && 'offline', name === 'index' && script.length > 0 && 'pixels']
  return names.map((mark) => (mark ? `<meta name="${mark}">` : '')).join('')
}

/** Creates the function that sends a document with its head, its policy and its data. */
export function documentGiver(context: DocumentsContext) {
  const loadHead = headLoader(context)
  const loadForeignHosts = foreignHostsLoader(context)
  const headOf = async (
    request: Request,
    reply: Reply,
    { language, route, firstScreen, isDatabaseAway }: Wanted,
  ) => {
    const [path = '/'] = request.url.split('?')
    const { id } = request.params as { id?: string }
    const head = await loadHead({ route, id, path, language, firstScreen, isDatabaseAway })
    if (head.missing) reply.code(404)
    const asked = formOf(request, offeredTo(context, request)) !== undefined
    const site = {
      site: context.operator.site,
      publicUrl: context.publicUrl,
      icon: context.icons.address('maskable.png'),
      languages: context.languages(),
    }
    return buildHead(site, head, language, asked) + siteLinks(context)
  }
  const foreignOf = async ({ name, route }: Wanted) => {
    if (name === 'order') return formHosts(context.gateways)
    // Browsers can keep the shell after a pixel is removed, so its policy allows no pixel.
    return name === 'index' && route !== '/offline' ? loadForeignHosts() : lastingHosts(context)
  }
  return async (request: Request, reply: Reply, wanted: Wanted) => {
    const { name, route, language, ahead } = wanted
    const foreign = await foreignOf(wanted)
    const head =
      (await headOf(request, reply, wanted)) +
      marksOf(wanted, foreign) +
      pictureAhead(ahead?.picture, ahead?.plays)
    const parts = { head, boot: ahead?.boot, picture: ahead?.element, plays: ahead?.plays === true }
    const { html, nonce } = context.documents.render(name, route, language, parts)
    reply
      .header('content-security-policy', contentSecurityPolicy(name, nonce, foreign))
      .header('cache-control', 'no-store')
    // The error reporter's profiler runs only if the document allows it.
    if (context.sentryDsn && name === 'index') reply.header('document-policy', 'js-profiling')
    return sendCompressed(request, reply.type('text/html; charset=utf-8'), html)
  }
}
