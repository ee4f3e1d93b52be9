import { parseDocument } from 'yaml'
import { badges } from '#contract/catalog.ts'
import { languageFromTag, languages, type Language, type LocalizedText } from '#contract/languages.ts'
import { videoLimits } from '#contract/studio/videos.ts'

/** Content of a `video.yaml`. */
export interface VideoDescription {
  titles: LocalizedText
  synopses: LocalizedText
  category: string | null
  tags: string[]
  freeEpisodes: number
  price: { currency: string; episodeCents: number; videoCents: number }
  badge: 'new' | 'hot' | null
  featured: boolean
  /** Titles of the episodes in order, from number 1; later episodes may be missing. */
  episodeTitles: Partial<LocalizedText>[]
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
const maxCents = 100_000_000
const maxFileLength = 256 * 1024

/**
 * Parses a `video.yaml`.
 * @throws DescriptionError
 */
export function parseVideoYaml(text: string): VideoDescription {
  if (text.length > maxFileLength)
    throw new DescriptionError(
      `the file must have at most ${maxFileLength} characters; it has ${text.length}`,
    )
  const document = parseOrThrow(() => parseDocument(text))
  const mistake = document.errors[0]
  if (mistake)
    throw new DescriptionError(
      `line ${mistake.linePos?.[0].line ?? 1} is not YAML: ${mistake.message.split('\n')[0]?.replace(/ at line.*$/, '')}`,
    )
  const root = asMap(
    parseOrThrow(() => document.toJS({ maxAliasCount: 20 })),
    'the file',
    'hold keys such as title and synopsis',
  )
  const unknown = Object.keys(root).find((key) => !keys.includes(key))
  if (unknown !== undefined)
    throw new DescriptionError(`${unknown} is not a known key; the known keys are ${keys.join(', ')}`)
  return {
    titles: readTexts(root['title'], 'title', 200),
    synopses: readTexts(root['synopsis'], 'synopsis', 2000),
    category:
      root['category'] === undefined || root['category'] === null
        ? null
        : readSlug(root['category'], 'category'),
    tags: readTags(root['tags'] ?? []),
    freeEpisodes: readInteger(root['free_episodes'], 'free_episodes', 0, 10_000),
    price: readPrice(root['price']),
    badge: readBadge(root['badge']),
    featured: readFlag(root['featured'], 'featured'),
    episodeTitles: readList(root['episodes'] ?? [], 'episodes').map(readEpisodeTitle),
  }
}

/** Converts an exception of the YAML parser (nesting is too deep, or too many aliases) to a DescriptionError. */
function parseOrThrow<Read>(read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw new DescriptionError(`the file cannot be read as YAML: ${why}`, { cause: error })
  }
}

function expectationError(key: string, requirement: string, value: unknown): DescriptionError {
  const found = value === undefined ? 'it is missing' : `it is ${abbreviate(value)}`
  return new DescriptionError(`${key} must ${requirement}; ${found}`)
}

function abbreviate(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, 60)
  } catch {
    return 'a value that contains itself'
  }
}

function asMap(value: unknown, key: string, requirement: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw expectationError(key, requirement, value)
  return Object.fromEntries(Object.entries(value))
}

function readTexts(value: unknown, key: string, maxLength: number): LocalizedText {
  const { en, ...others } = readPartialTexts(value, key, maxLength)
  if (en === undefined)
    throw expectationError(
      `${key}.en`,
      'be given, because it is shown in languages that have no text',
      undefined,
    )
  return { en, ...others }
}

function readPartialTexts(value: unknown, key: string, maxLength: number): Partial<LocalizedText> {
  const texts: Partial<Record<Language, string>> = {}
  for (const [code, text] of Object.entries(
    asMap(value, key, `hold a text for each language (${languages.join(', ')})`),
  )) {
    // Refuse a language code with a region, because "pt-BR" and "pt-PT" together would be two texts for one language.
    const language = code.includes('-') ? undefined : languageFromTag(code)
    if (!language)
      throw new DescriptionError(
        `${key}.${code} is not a language of this site; its languages are ${languages.join(', ')} (fr and fy are French, de and dy are German)`,
      )
    if (texts[language] !== undefined)
      throw new DescriptionError(`${key}.${code} is a second text for one language`)
    if (typeof text !== 'string' || text.trim() === '' || text.length > maxLength || text.includes('\0')) {
      throw expectationError(`${key}.${code}`, `be a text of 1 to ${maxLength} characters`, text)
    }
    texts[language] = text.trim()
  }
  return texts
}

function readEpisodeTitle(value: unknown, index: number): Partial<LocalizedText> {
  const { title } = asMap(value, `episodes[${index}]`, 'hold a title')
  return title === undefined ? {} : readPartialTexts(title, `episodes[${index}].title`, 200)
}

function readSlug(value: unknown, key: string): string {
  if (typeof value !== 'string' || value.length > 64 || !slugPattern.test(value))
    throw expectationError(key, 'be a short name of lowercase letters, digits and hyphens', value)
  return value
}

function readList(value: unknown, key: string): unknown[] {
  if (!Array.isArray(value)) throw expectationError(key, 'be a list', value)
  return value
}

function readTags(value: unknown): string[] {
  const tags = readList(value, 'tags')
  if (tags.length > videoLimits.tags)
    throw expectationError('tags', `have at most ${videoLimits.tags} entries`, tags)
  return tags.map((tag, index) => readSlug(tag, `tags[${index}]`))
}

function readInteger(value: unknown, key: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw expectationError(key, `be a whole number from ${min} to ${max}`, value)
  }
  return value
}

function readPrice(value: unknown): VideoDescription['price'] {
  const price = asMap(value, 'price', 'hold currency, episode_cents and video_cents')
  const currency = price['currency']
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    throw expectationError('price.currency', 'be three capital letters such as USD', currency)
  return {
    currency,
    episodeCents: readInteger(price['episode_cents'], 'price.episode_cents', 1, maxCents),
    videoCents: readInteger(price['video_cents'], 'price.video_cents', 1, maxCents),
  }
}

function readBadge(value: unknown): 'new' | 'hot' | null {
  if (value === undefined || value === null) return null
  const badge = badges.find((known) => known === value)
  if (!badge) throw expectationError('badge', `be ${badges.join(' or ')}`, value)
  return badge
}

function readFlag(value: unknown, key: string): boolean {
  if (value === undefined) return false
  if (typeof value !== 'boolean') throw expectationError(key, 'be true or false', value)
  return value
}
