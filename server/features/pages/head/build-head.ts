import { bcp47Tags, type Language, type OfferedLanguages } from '#contract/languages.ts'
import type { SiteIcons } from '#server/features/pages/pwa/site-icons.ts'

/** Metadata of a page for search engines and social networks. */
export interface Head {
  title: string
  description: string
  /** Path of the URL, without the query. */
  path: string
  /** Whether search engines may index the page. Personal pages are not indexed. */
  indexed: boolean
  /** True for an address without a page (HTTP 404). */
  missing?: boolean
  kind?: 'website' | 'video.other'
  /** Path of the image, from the root. */
  image?: string | undefined
  /** Structured data for search engines (JSON-LD). */
  data?: object
}

export interface HeadSite {
  site: string
  publicUrl: string
  /** Path of the default image, from the root. */
  icon: string
  /** The languages that the site offers. */
  languages: OfferedLanguages
}

const locales: Record<Language, string> = { en: 'en_US', es: 'es_ES', fy: 'fr_FR', dy: 'de_DE', pt: 'pt_PT' }
const maxDescriptionLength = 200

/**
 * Builds the part of the document's head that depends on the page. `hasLanguageParam`: the address contains `?lang=`.
 * Each language version is its own canonical page and links to the others. The address without `lang` is `x-default`.
 */
export function buildHead(
  { site, publicUrl, icon, languages }: HeadSite,
  head: Head,
  language: Language,
  hasLanguageParam: boolean,
): string {
  const address = publicUrl + head.path
  const canonical = hasLanguageParam ? languageUrl(address, language) : address
  const description = truncate(head.description)
  const image = publicUrl + (head.image ?? icon)
  const openGraph: [string, string | undefined][] = [
    ['og:title', head.title],
    ['og:description', description],
    ['og:type', head.kind ?? 'website'],
    // Social networks must not link to an address without a page.
    ['og:url', head.missing ? undefined : canonical],
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
    ...metaTags('name', named),
    ...(head.indexed ? links(address, canonical, languages) : []),
    ...metaTags('property', openGraph),
    ...(head.data === undefined
      ? []
      : [`<script type="application/ld+json">${escapeJsonForScript(head.data)}</script>`]),
  ].join('')
}

/** Returns the head's tags for the installable app: icons, manifest, and the name that iOS shows under the icon. */
export function pwaLinks({ icons, operator }: { icons: SiteIcons; operator: { site: string } }): string {
  return [
    `<link rel="icon" href="${icons.logo()}">`,
    `<link rel="apple-touch-icon" href="${icons.address('apple.png')}">`,
    '<link rel="manifest" href="/manifest.webmanifest">',
    `<meta name="apple-mobile-web-app-title" content="${escapeMarkup(operator.site)}">`,
  ].join('')
}

/**
 * Returns the tag that preloads an image. The CORS mode must be the same as in the later request, or the browser
 * downloads the image twice. The poster of `firstVideoElement` uses CORS.
 */
export function preloadImage(address: string | undefined, ofVideo = false): string {
  const corsAttribute = ofVideo ? ' crossorigin="anonymous"' : ''
  return address === undefined
    ? ''
    : `<link rel="preload" as="image"${corsAttribute} href="${escapeMarkup(address)}" fetchpriority="high">`
}

/**
 * Returns the element that plays the episode, with its poster. It precedes all scripts in the document. The stream
 * starts in this element (web/player/engine/stream.ts), and the screen later uses the same element.
 */
export function firstVideoElement(poster: string): string {
  return `<video id="first-video" crossorigin="anonymous" playsinline preload="none" poster="${escapeMarkup(poster)}"></video>`
}

/** Returns the homepage's first cover as an image, which is shown until the carousel has loaded. */
export function firstPosterElement(address: string): string {
  return `<img id="first-poster" src="${escapeMarkup(address)}" alt="" decoding="sync" fetchpriority="high">`
}

/** Returns the URL of a page in one language. */
export function languageUrl(address: string, language: Language): string {
  return `${address}?lang=${bcp47Tags[language]}`
}

/** Returns the `hreflang` value and the address of each language version of a page. */
export function languageAlternates(address: string, languages: OfferedLanguages): [string, string][] {
  return [
    ...languages.map((language): [string, string] => [bcp47Tags[language], languageUrl(address, language)]),
    ['x-default', address],
  ]
}

/** Escapes text for the content and the attributes of HTML and XML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** Serializes a value as JSON that cannot close its script element. */
export function escapeJsonForScript(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function links(address: string, canonical: string, languages: OfferedLanguages): string[] {
  return [
    `<link rel="canonical" href="${escapeMarkup(canonical)}">`,
    ...languageAlternates(address, languages).map(
      ([lang, href]) => `<link rel="alternate" hreflang="${lang}" href="${escapeMarkup(href)}">`,
    ),
  ]
}

function metaTags(attribute: 'name' | 'property', values: [string, string | undefined][]): string[] {
  return values.flatMap(([name, value]) =>
    value === undefined ? [] : [`<meta ${attribute}="${name}" content="${escapeMarkup(value)}">`],
  )
}

/** Shortens a description to `maxDescriptionLength`, at the end of a word. */
function truncate(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= maxDescriptionLength) return line
  return `${line.slice(0, maxDescriptionLength).replace(/\s+\S*$/, '')}…`
}
