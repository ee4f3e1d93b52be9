import { parseDocument } from 'yaml'
import { badges } from '#contract/catalog.ts'
import { languageOf, languages, type Language, type Texts } from '#contract/languages.ts'
import { videoLimits } from '#contract/studio/videos.ts'

/** Content of a `video.yaml`. */
export interface VideoDescription {
  titles: Texts
  synopses: Texts
  category: string | null
  tags: string[]
  freeEpisodes: number
  price: { currency: string; episodeCents: number; videoCents: number }
  badge: 'new' | 'hot' | null
  featured: boolean
  /** Titles of the episodes in order, as far as they are given. */
  episodeTitles: Partial<Texts>[]
}

/** A mistake in a `video.yaml`. The message names the key and what is expected: "price.video_cents must be …". */
export class DescriptionError extends Error {
  override name = 'DescriptionError'
}

const keys = [
  'title',
  'synopsis',
  'category',
  'tags',
  'free_episodes',
  'price',
  'badge',
  'featured',
  'episodes',
]
const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/
const mostCents = 100_000_000
const longestFile = 256 * 1024

/**
 * Parses a `video.yaml`.
 * @throws DescriptionError
 */
export function parseVideoYaml(text: string): VideoDescription {
  if (text.length > longestFile)
    throw new DescriptionError(`the file must have at most ${longestFile} characters; it has ${text.length}`)
  const document = readable(() => parseDocument(text))
  const mistake = document.errors[0]
  if (mistake)
    throw new DescriptionError(
      `line ${mistake.linePos?.[0].line ?? 1} is not YAML: ${mistake.message.split('\n')[0]?.replace(/ at line.*$/, '')}`,
    )
  const root = asMap(
    readable(() => document.toJS({ maxAliasCount: 20 })),
    'the file',
    'hold keys such as title and synopsis',
  )
  const unknown = Object.keys(root).find((key) => !keys.includes(key))
  if (unknown !== undefined)
    throw new DescriptionError(`${unknown} is not a key that is known: ${keys.join(', ')} are`)
  return {
    titles: readTexts(root['title'], 'title', 200),
    synopses: readTexts(root['synopsis'], 'synopsis', 2000),
    category:
      root['category'] === undefined || root['category'] === null
        ? null
        : readSlug(root['category'], 'category'),
    tags: readTags(root['tags'] ?? []),
    freeEpisodes: readWhole(root['free_episodes'], 'free_episodes', 0, 10_000),
    price: readPrice(root['price']),
    badge: readBadge(root['badge']),
    featured: readFlag(root['featured'], 'featured'),
    episodeTitles: readList(root['episodes'] ?? [], 'episodes').map(readEpisodeTitle),
  }
}

/** Reports excessive nesting, or excessive expansion of aliases, as a mistake too. */
function readable<Read>(read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw new DescriptionError(`the file is not YAML that can be used: ${why}`, { cause: error })
  }
}

function expected(key: string, what: string, value: unknown): DescriptionError {
  const found = value === undefined ? 'it is missing' : `it is ${inShort(value)}`
  return new DescriptionError(`${key} must ${what}; ${found}`)
}

function inShort(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, 60)
  } catch {
    return 'something that holds itself'
  }
}

function asMap(value: unknown, key: string, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw expected(key, what, value)
  return Object.fromEntries(Object.entries(value))
}

function readTexts(value: unknown, key: string, most: number): Texts {
  const { en, ...others } = readSomeTexts(value, key, most)
  if (en === undefined)
    throw expected(`${key}.en`, 'be there: English is shown where another language is missing', undefined)
  return { en, ...others }
}

function readSomeTexts(value: unknown, key: string, most: number): Partial<Texts> {
  const texts: Partial<Record<Language, string>> = {}
  for (const [code, text] of Object.entries(
    asMap(value, key, `hold a text for each language (${languages.join(', ')})`),
  )) {
    // A region is refused: "pt-BR" and "pt-PT" together would be two texts for one language.
    const language = code.includes('-') ? undefined : languageOf(code)
    if (!language)
      throw new DescriptionError(
        `${key}.${code} is not a language of this site: ${languages.join(', ')} are (fr and fy are French, de and dy are German)`,
      )
    if (texts[language] !== undefined)
      throw new DescriptionError(`${key}.${code} is a second text for one language`)
    if (typeof text !== 'string' || text.trim() === '' || text.length > most || text.includes('\0')) {
      throw expected(`${key}.${code}`, `be a text of 1 to ${most} characters`, text)
    }
    texts[language] = text.trim()
  }
  return texts
}

function readEpisodeTitle(value: unknown, index: number): Partial<Texts> {
  const { title } = asMap(value, `episodes[${index}]`, 'hold a title')
  return title === undefined ? {} : readSomeTexts(title, `episodes[${index}].title`, 200)
}

function readSlug(value: unknown, key: string): string {
  if (typeof value !== 'string' || value.length > 64 || !slugPattern.test(value))
    throw expected(key, 'be a short name of small letters, digits and hyphens', value)
  return value
}

function readList(value: unknown, key: string): unknown[] {
  if (!Array.isArray(value)) throw expected(key, 'be a list', value)
  return value
}

function readTags(value: unknown): string[] {
  const tags = readList(value, 'tags')
  if (tags.length > videoLimits.tags) throw expected('tags', `be at most ${videoLimits.tags}`, tags)
  return tags.map((tag, index) => readSlug(tag, `tags[${index}]`))
}

function readWhole(value: unknown, key: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw expected(key, `be a whole number from ${least} to ${most}`, value)
  }
  return value
}

function readPrice(value: unknown): VideoDescription['price'] {
  const price = asMap(value, 'price', 'hold currency, episode_cents and video_cents')
  const currency = price['currency']
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    throw expected('price.currency', 'be three capital letters such as USD', currency)
  return {
    currency,
    episodeCents: readWhole(price['episode_cents'], 'price.episode_cents', 1, mostCents),
    videoCents: readWhole(price['video_cents'], 'price.video_cents', 1, mostCents),
  }
}

function readBadge(value: unknown): 'new' | 'hot' | null {
  if (value === undefined || value === null) return null
  const badge = badges.find((known) => known === value)
  if (!badge) throw expected('badge', `be ${badges.join(' or ')}`, value)
  return badge
}

function readFlag(value: unknown, key: string): boolean {
  if (value === undefined) return false
  if (typeof value !== 'boolean') throw expected(key, 'be true or false', value)
  return value
}
