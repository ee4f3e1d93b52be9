import type { Section, VideoCard } from '#contract/catalog.ts'
import { listLimits } from '#contract/catalog.ts'
import { Refusal } from '#contract/errors.ts'
import { inLanguage, type Language } from '#contract/languages.ts'
import { decodeCursor, encodeCursor, pageSize } from '#server/platform/cursor.ts'
import type { Db } from '#server/tables.ts'
import { presentCard, presentName } from './present.ts'
import * as queries from './queries.ts'
import type { ListFilter, ListOrder } from './queries.ts'
import type { SectionSource } from './tables.ts'

export { hasCover, publishVideo, recordEpisodes, releaseIfWaiting, setCover } from './publish-video.ts'

/** How many cards a section shows on the homepage, by its kind. */
const sectionSize = { carousel: 6, row: 12, ranking: 10, grid: 12 }

/** Where a section's videos come from, as a filter and an order. */
function listOf(source: SectionSource): { filter: ListFilter; order: ListOrder } {
  switch (source.from) {
    case 'popular':
      return { filter: { by: 'all' }, order: 'popular' }
    case 'newest':
      return { filter: { by: 'all' }, order: 'newest' }
    case 'featured':
      return { filter: { by: 'featured' }, order: 'newest' }
    case 'category':
    case 'tag':
      return { filter: { by: source.from, slug: source.slug }, order: 'newest' }
    case 'videos':
      return { filter: { by: 'slugs', slugs: source.slugs }, order: 'newest' }
  }
}

/** The homepage in one language: sections without a video are left out. */
export async function loadHomepage(db: Db, language: Language) {
  const [sections, menu, settings] = await Promise.all([
    queries.selectSections(db),
    queries.selectMenu(db),
    queries.selectSettings(db),
  ])
  const homepage = await Promise.all(sections.map((section) => loadSection(db, section, language)))
  return {
    copyright: { text: '© Cliffhanger', icon: '/favicon.svg', ...settings.get('copyright') },
    menu: menu.map((category) => presentName(category, language)),
    homepage: homepage.filter((section) => section.items.length > 0),
    pay_theme: { id: 'ember', layout: 'sheet', accent: '#ff8a4c', ...settings.get('pay_theme') },
  }
}

type SectionRow = Awaited<ReturnType<typeof queries.selectSections>>[number]

async function loadSection(db: Db, section: SectionRow, language: Language): Promise<Section> {
  const size = sectionSize[section.kind]
  const { filter, order } = listOf(section.source)
  const rows = await queries.selectVideos(db, filter, order, undefined, size + 1)
  return {
    id: section.id,
    kind: section.kind,
    title: inLanguage(section.titles, language),
    items: rows.slice(0, size).map((row) => presentCard(row, language)),
    has_more: rows.length > size,
  }
}

export interface ListingQuery {
  section?: string
  menu?: string
  tag?: string
  keyword?: string
  sort?: 'relevance' | 'popular' | 'newest'
  cursor?: string
  limit?: number
}

/**
 * One page of videos by section, menu entry, tag or words (the first that is given; all videos where none is).
 * @throws Refusal notFound for an unknown section, menu entry or tag
 * @throws Fault badCursor for a cursor that is damaged or of another list
 */
export async function listVideos(db: Db, query: ListingQuery, language: Language) {
  const { title, filter, order } = await listingOf(db, query, language)
  const size = pageSize(query.limit, listLimits)
  const list = JSON.stringify([filter, order])
  const position = decodeCursor(list, query.cursor, 2)
  const after = position && { key: position[0] ?? '', id: String(position[1]) }
  const rows = await queries.selectVideos(db, filter, order, after, size + 1)
  const page = rows.slice(0, size)
  const last = rows.length > size ? page.at(-1) : undefined
  const key = order === 'newest' ? (last?.released_at?.toISOString() ?? '') : (last?.play_count ?? 0)
  return {
    list: page.map((row) => presentCard(row, language)),
    next_cursor: last ? encodeCursor(list, [key, last.id]) : null,
    title,
  }
}

async function listingOf(db: Db, query: ListingQuery, language: Language) {
  const order: ListOrder = query.sort === 'popular' ? 'popular' : 'newest'
  if (query.section !== undefined) {
    const section = found(await queries.selectSection(db, query.section))
    const source = listOf(section.source)
    return {
      title: inLanguage(section.titles, language),
      filter: source.filter,
      order: query.sort ? order : source.order,
    }
  }
  if (query.menu !== undefined) {
    const category = found(await queries.selectCategory(db, query.menu))
    return {
      title: presentName(category, language).name,
      filter: { by: 'category-id' as const, id: category.id },
      order,
    }
  }
  if (query.tag !== undefined) {
    const tag = found(await queries.selectTag(db, query.tag))
    return { title: presentName(tag, language).name, filter: { by: 'tag-id' as const, id: tag.id }, order }
  }
  const words = query.keyword?.trim() ?? ''
  return { title: words, filter: words ? { by: 'words' as const, words } : { by: 'all' as const }, order }
}

function found<T>(record: T | undefined): T {
  if (record === undefined) throw new Refusal('notFound')
  return record
}

/** Videos of the same category, newest first, without the one itself. */
async function relatedTo(
  db: Db,
  id: string,
  categoryId: string | null,
  language: Language,
): Promise<VideoCard[]> {
  const filter: ListFilter = categoryId ? { by: 'category-id', id: categoryId } : { by: 'all' }
  const same = await queries.selectVideos(db, filter, 'newest', undefined, 13)
  const rows =
    same.length > 4
      ? same
      : [...same, ...(await queries.selectVideos(db, { by: 'all' }, 'newest', undefined, 13))]
  const others = new Map(rows.filter((row) => row.id !== id).map((row) => [row.id, row]))
  return [...others.values()].slice(0, 12).map((row) => presentCard(row, language))
}

/**
 * What everybody sees of one video.
 * @throws Refusal notFound for one that is unknown, a draft or not yet released
 */
export async function loadVideo(db: Db, id: string, language: Language) {
  const row = found(await queries.selectVideo(db, id))
  return {
    ...presentCard(row, language),
    synopsis: inLanguage(row.synopses, language),
    category:
      row.category_id && row.category_names
        ? presentName({ id: row.category_id, names: row.category_names }, language)
        : null,
    favorite_count: row.favorite_count,
    share_count: row.share_count,
    released_at: row.released_at?.toISOString() ?? null,
    price: { episode_cents: row.episode_cents, video_cents: row.video_cents, currency: row.currency },
    related: await relatedTo(db, row.id, row.category_id, language),
  }
}

/** The cards of these videos by id, in one language; what may not be seen is missing. */
export async function loadCards(
  db: Db,
  ids: readonly string[],
  language: Language,
): Promise<Map<string, VideoCard>> {
  if (ids.length === 0) return new Map()
  const rows = await queries.selectCardsByIds(db, ids)
  return new Map(rows.map((row) => [row.id, presentCard(row, language)]))
}

/** Whether there is no video at all yet, of whatever state. */
export function isCatalogEmpty(db: Db): Promise<boolean> {
  return queries.hasNoVideo(db)
}

/** A setting that the site keeps in the database, or undefined. Its type is the writer's word. */
export async function readSetting<T extends object>(db: Db, key: string): Promise<T | undefined> {
  return (await queries.selectSetting(db, key)) as T | undefined
}

export function writeSetting(db: Db, key: string, value: object): Promise<void> {
  return queries.upsertSetting(db, key, value)
}
