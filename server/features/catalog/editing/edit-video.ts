import { Refusal } from '#contract/errors.ts'
import type { Language, LocalizedText } from '#contract/languages.ts'
import { maxLabelLength } from '#contract/studio/labels.ts'
import { videoLimits } from '#contract/studio/videos.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './admin-queries.ts'
import type { AdminVideoRecord } from './admin-queries.ts'
import { upsertLabel, replaceVideoTags, upsertVideo } from './publish-queries.ts'

/** Texts by language. An empty text removes the existing text. An omitted language remains unchanged. */
export type TextChanges = Partial<Record<Language, string>>

export interface VideoEdits {
  titles?: TextChanges
  synopses?: TextChanges
  /** Name or slug, as in `tags`. */
  category?: string | null
  tags?: readonly string[]
  badge?: 'new' | 'hot' | null
  featured?: boolean
  free_episodes?: number
  episode_cents?: number
  video_cents?: number
  currency?: string
}

/**
 * Loads a video in any state.
 * @throws Refusal notFound
 */
export async function loadAdminVideo(
  db: Db,
  id: string,
  options?: { lock?: boolean },
): Promise<AdminVideoRecord> {
  const video = await queries.selectAdminVideo(db, id, options)
  if (!video) throw new Refusal('notFound')
  return video
}

/** Price of a site's first video. Later drafts copy the latest video's price. */
const defaultPrice = { currency: 'USD', episode_cents: 99, video_cents: 999, free_episodes: 3 }

/**
 * Creates a draft with a title, at the prices of the latest video.
 * @returns its id
 * @throws Refusal titleRequired
 */
export async function createDraft(tx: Tx, title: string, now: Date): Promise<string> {
  const { en } = applyTitleChanges({ en: '' }, { en: title })
  const price = (await queries.selectLatestPrice(tx)) ?? defaultPrice
  const values = { titles: { en }, synopses: { en: '' }, category_id: null, badge: null, featured: false }
  return upsertVideo(tx, { ...values, ...price, slug: await findUnusedSlug(tx, en) }, 'draft', null, now)
}

/**
 * Edits the given fields of a video.
 * @throws Refusal titleRequired, textTooLong, priceInvalid, labelInvalid
 */
export async function editVideo(tx: Tx, video: AdminVideoRecord, edits: VideoEdits): Promise<void> {
  const { titles, synopses, category, tags, ...rest } = edits
  checkPrices(rest)
  await queries.updateVideo(tx, video.id, {
    ...rest,
    ...(titles ? { titles: applyTitleChanges(video.titles, titles) } : {}),
    ...(synopses ? { synopses: applySynopsisChanges(video.synopses, synopses) } : {}),
    ...(category === undefined ? {} : { category_id: await resolveCategory(tx, category) }),
  })
  if (tags) await replaceVideoTags(tx, video.id, await resolveTags(tx, tags))
}

function applyTitleChanges(before: LocalizedText, changes: TextChanges): LocalizedText {
  const titles = applyTextChanges(before, changes, videoLimits.title, 'titles')
  if (!titles.en) throw new Refusal('titleRequired', { field: 'titles.en' })
  return { ...titles, en: titles.en }
}

/** Applies changes to synopses. The English synopsis may be empty; no other language replaces it. */
function applySynopsisChanges(before: LocalizedText, changes: TextChanges): LocalizedText {
  return { en: '', ...applyTextChanges(before, changes, videoLimits.synopsis, 'synopses') }
}

/**
 * Applies changes to texts.
 * @throws Refusal textTooLong naming the field
 */
export function applyTextChanges(
  before: TextChanges,
  changes: TextChanges,
  maxLength: number,
  field: string,
): TextChanges {
  const after: Record<string, string> = { ...before }
  for (const [language, value] of Object.entries(changes)) {
    const text = value.trim()
    if (text.length > maxLength) throw new Refusal('textTooLong', { field: `${field}.${language}` })
    if (text === '') delete after[language]
    else after[language] = text
  }
  return after
}

function checkPrices({ episode_cents, video_cents, currency }: VideoEdits): void {
  for (const [field, cents] of Object.entries({ episode_cents, video_cents }))
    if (cents !== undefined && (cents < 1 || cents > videoLimits.cents))
      throw new Refusal('priceInvalid', { field })
  if (currency !== undefined && !isCurrency(currency))
    throw new Refusal('priceInvalid', { field: 'currency' })
}

const isCurrency = (text: string) => Intl.supportedValuesOf('currency').includes(text)

async function resolveCategory(tx: Tx, name: string | null): Promise<string | null> {
  if (name === null || name.trim() === '') return null
  const category = parseLabel(name, 'category')
  return upsertLabel(tx, 'categories', category.slug, { en: category.name })
}

async function resolveTags(tx: Tx, names: readonly string[]): Promise<string[]> {
  const labels = new Map(names.map((name) => parseLabel(name, 'tags')).map((label) => [label.slug, label]))
  const ids = new Map<string, string>()
  // Inserts in a fixed order, so that concurrent transactions cannot deadlock (as in upsert-video.ts).
  for (const { slug, name } of [...labels.values()].toSorted((a, b) => (a.slug < b.slug ? -1 : 1)))
    ids.set(slug, await upsertLabel(tx, 'tags', slug, { en: name }))
  return [...labels.keys()].map((slug) => ids.get(slug) ?? '')
}

function parseLabel(name: string, field: string): { slug: string; name: string } {
  const slug = slugify(name)
  if (slug === '' || name.trim().length > maxLabelLength) throw new Refusal('labelInvalid', { field })
  return { slug, name: name.trim() }
}

/** Converts `Été in Paris!` to `ete-in-paris`. */
export function slugify(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxLabelLength)
    .replaceAll(/^-+|-+$/g, '')
}

/** Number of videos with the same title whose slugs are numbered. */
const numberedSlugs = 20

/** Returns an unused slug. It is random if the title has no Latin letters or digits, or if many videos have the title. */
async function findUnusedSlug(tx: Tx, title: string): Promise<string> {
  const randomPart = newId('vid').slice(4, 16)
  const base = slugify(title) || randomPart
  const slugs = Array.from({ length: numberedSlugs }, (_, index) =>
    index === 0 ? base : `${base}-${index + 1}`,
  )
  const used = await queries.selectUsedSlugs(tx, slugs)
  return slugs.find((slug) => !used.has(slug)) ?? `${base}-${randomPart}`
}
