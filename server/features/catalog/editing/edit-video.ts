import { Refusal } from '#contract/errors.ts'
import type { Language, Texts } from '#contract/languages.ts'
import { longestLabel } from '#contract/studio/labels.ts'
import { videoLimits } from '#contract/studio/videos.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './admin-queries.ts'
import type { AdminVideoRecord } from './admin-queries.ts'
import { ensureNamed, replaceVideoTags, upsertVideo } from './publish-queries.ts'

/** Texts by language; an empty one is removed, an omitted one stays. */
export type TextChanges = Partial<Record<Language, string>>

export interface VideoEdits {
  titles?: TextChanges
  synopses?: TextChanges
  /** By name or slug. */
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

/** Price of the first video of a site. */
const firstPrice = { currency: 'USD', episode_cents: 99, video_cents: 999, free_episodes: 3 }

/**
 * Creates a draft with a title, at the prices of the latest video.
 * @returns its id
 * @throws Refusal titleNeeded
 */
export async function beginDraft(tx: Tx, title: string, now: Date): Promise<string> {
  const { en } = editedTitles({ en: '' }, { en: title })
  const price = (await queries.selectLatestPrice(tx)) ?? firstPrice
  const values = { titles: { en }, synopses: { en: '' }, category_id: null, badge: null, featured: false }
  return upsertVideo(tx, { ...values, ...price, slug: await freeSlug(tx, en) }, 'draft', null, now)
}

/**
 * Edits the given fields of a video.
 * @throws Refusal titleNeeded, textTooLong, priceInvalid, labelInvalid
 */
export async function editVideo(tx: Tx, video: AdminVideoRecord, edits: VideoEdits): Promise<void> {
  const { titles, synopses, category, tags, ...rest } = edits
  checkPrices(rest)
  await queries.updateVideo(tx, video.id, {
    ...rest,
    ...(titles ? { titles: editedTitles(video.titles, titles) } : {}),
    ...(synopses ? { synopses: editedSynopses(video.synopses, synopses) } : {}),
    ...(category === undefined ? {} : { category_id: await categoryOf(tx, category) }),
  })
  if (tags) await replaceVideoTags(tx, video.id, await tagsOf(tx, tags))
}

function editedTitles(before: Texts, changes: TextChanges): Texts {
  const titles = edited(before, changes, videoLimits.title, 'titles')
  if (!titles.en) throw new Refusal('titleNeeded', { field: 'titles.en' })
  return { ...titles, en: titles.en }
}

/** Applies changes of synopses. A draft's may be empty; other languages do not replace it. */
function editedSynopses(before: Texts, changes: TextChanges): Texts {
  return { en: '', ...edited(before, changes, videoLimits.synopsis, 'synopses') }
}

/**
 * Applies changes to texts.
 * @throws Refusal textTooLong naming the field
 */
export function edited(before: TextChanges, changes: TextChanges, most: number, field: string): TextChanges {
  const after: Record<string, string> = { ...before }
  for (const [language, typed] of Object.entries(changes)) {
    const text = typed.trim()
    if (text.length > most) throw new Refusal('textTooLong', { field: `${field}.${language}` })
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

async function categoryOf(tx: Tx, name: string | null): Promise<string | null> {
  if (name === null || name.trim() === '') return null
  const category = labelOf(name, 'category')
  return ensureNamed(tx, 'categories', category.slug, { en: category.name })
}

async function tagsOf(tx: Tx, names: readonly string[]): Promise<string[]> {
  const labels = new Map(names.map((name) => labelOf(name, 'tags')).map((label) => [label.slug, label]))
  const ids = new Map<string, string>()
  // A fixed order, as in publish-video.ts.
  for (const { slug, name } of [...labels.values()].toSorted((a, b) => (a.slug < b.slug ? -1 : 1)))
    ids.set(slug, await ensureNamed(tx, 'tags', slug, { en: name }))
  return [...labels.keys()].map((slug) => ids.get(slug) ?? '')
}

function labelOf(name: string, field: string): { slug: string; name: string } {
  const slug = slugOf(name)
  if (slug === '' || name.trim().length > longestLabel) throw new Refusal('labelInvalid', { field })
  return { slug, name: name.trim() }
}

/** Converts `Été in Paris!` to `ete-in-paris`. */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longestLabel)
    .replaceAll(/^-+|-+$/g, '')
}

/** Returns an unused slug for a title; a random one if the title has no Latin letters. */
async function freeSlug(tx: Tx, title: string): Promise<string> {
  const wanted = slugOf(title) || newId('vid').slice(4, 16)
  const taken = await queries.selectSlugs(tx, wanted)
  let number = 1
  const nth = () => (number === 1 ? wanted : `${wanted}-${number}`)
  while (taken.has(nth())) number++
  return nth()
}
