import { htmlLanguage, type Language, type OfferedLanguages } from '#contract/languages.ts'
import type { SiteIcons } from '#server/features/pages/install/site-icons.ts'

/** What search engines and social networks read of a page. */
export interface Head {
  title: string
  description: string
  /** From the root, without a query. */
  path: string
  /** Whether search engines may index it; personal pages are not indexed. */
  indexed: boolean
  /** There is no such page. */
  missing?: boolean
  kind?: 'website' | 'video.other'
  /** From the root. */
  image?: string | undefined
  /** JSON-LD. */
  data?: object
}

export interface HeadSite {
  site: string
  publicUrl: string
  /** The picture of a page that has none of its own, from the root. */
  icon: string
  /** Those that are offered. */
  languages: OfferedLanguages
}

const locales: Record<Language, string> = { en: 'en_US', es: 'es_ES', fy: 'fr_FR', dy: 'de_DE', pt: 'pt_PT' }
const longestDescription = 200

/**
 * A page's part of the document's head. `asked`: the address says the language (`?lang=`); each such form stands for
 * itself and names the others, and the plain address is the one for whoever has no preference.
 */
export function buildHead(
  { site, publicUrl, icon, languages }: HeadSite,
  head: Head,
  language: Language,
  asked: boolean,
): string {
  const address = publicUrl + head.path
  const own = asked ? formOf(address, language) : address
  const description = shorten(head.description)
  const image = publicUrl + (head.image ?? icon)
  const graph: [string, string | undefined][] = [
    ['og:title', head.title],
    ['og:description', description],
    ['og:type', head.kind ?? 'website'],
    // What is not there has no address that anything should be led to.
    ['og:url', head.missing ? undefined : own],
    ['og:site_name', site],
    ['og:locale', locales[language]],
    ['og:image', image],
  ]
  const named: [string, string | undefined][] = [
    ['description', description],
    ['robots', head.indexed ? undefined : 'noindex'],
    ['twitter:card', head.image === undefined ? 'summary' : 'summary_large_image'],
    ['twitter:title', head.title],
    ['twitter:description', description],
    ['twitter:image', image],
  ]
  return [
    `<title>${escapeMarkup(head.title === site ? site : `${head.title} · ${site}`)}</title>`,
    ...metas('name', named),
    ...(head.indexed ? links(address, own, languages) : []),
    ...metas('property', graph),
    ...(head.data === undefined
      ? []
      : [`<script type="application/ld+json">${inScript(head.data)}</script>`]),
  ].join('')
}

/** What every page says of the site as an app: its icons, its manifest, and its name under the icon on iOS. */
export function siteLinks({ icons, operator }: { icons: SiteIcons; operator: { site: string } }): string {
  return [
    `<link rel="icon" href="${icons.logo()}">`,
    `<link rel="apple-touch-icon" href="${icons.address('apple.png')}">`,
    '<link rel="manifest" href="/manifest.webmanifest">',
    `<meta name="apple-mobile-web-app-title" content="${escapeMarkup(operator.site)}">`,
  ].join('')
}

/** Asks for a picture with the document, before any script could, and as it is going to be asked for: `firstVideo` does so by CORS. */
export function pictureAhead(address: string | undefined, ofVideo = false): string {
  const how = ofVideo ? ' crossorigin="anonymous"' : ''
  return address === undefined
    ? ''
    : `<link rel="preload" as="image"${how} href="${escapeMarkup(address)}" fetchpriority="high">`
}

/**
 * The element that an episode plays in, with its poster: it stands before any script has come, the stream starts in it
 * (web/player/engine/stream.ts), and the screen takes it over.
 */
export function firstVideo(poster: string): string {
  return `<video id="first-video" crossorigin="anonymous" playsinline preload="none" poster="${escapeMarkup(poster)}"></video>`
}

/** The homepage's first poster, until the carousel has come. */
export function firstPoster(address: string): string {
  return `<img id="first-poster" src="${escapeMarkup(address)}" alt="" decoding="sync" fetchpriority="high">`
}

/** The address of a page in one language. */
export function formOf(address: string, language: Language): string {
  return `${address}?lang=${htmlLanguage[language]}`
}

/** Every form of a page: its language as `hreflang` says it, and its address. */
export function formsOf(address: string, languages: OfferedLanguages): [string, string][] {
  return [
    ...languages.map((language): [string, string] => [htmlLanguage[language], formOf(address, language)]),
    ['x-default', address],
  ]
}

/** Text for between tags or in an attribute, in HTML and XML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** JSON that cannot end its script element. */
export function inScript(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function links(address: string, own: string, languages: OfferedLanguages): string[] {
  return [
    `<link rel="canonical" href="${escapeMarkup(own)}">`,
    ...formsOf(address, languages).map(
      ([lang, href]) => `<link rel="alternate" hreflang="${lang}" href="${escapeMarkup(href)}">`,
    ),
  ]
}

function metas(attribute: 'name' | 'property', values: [string, string | undefined][]): string[] {
  return values.flatMap(([name, value]) =>
    value === undefined ? [] : [`<meta ${attribute}="${name}" content="${escapeMarkup(value)}">`],
  )
}

/** At most so many characters, cut between words. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= longestDescription) return line
  return `${line.slice(0, longestDescription).replace(/\s+\S*$/, '')}…`
}
