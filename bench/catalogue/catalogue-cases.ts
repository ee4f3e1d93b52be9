import type { Pool } from 'pg'
import type { CatalogueSize } from './fill-catalogue.ts'
import { randomWord } from './random-words.ts'
import { pagesOf, readCursors } from './pick-cursors.ts'

/**
 * A listing to measure: the URLs that clients request in turn, and how many times slower the listing may be in the
 * largest catalogue than in the first catalogue, the baseline.
 */
export interface CatalogueCase {
  name: string
  /**
   * Each URL is requested in five languages. The site cannot serve all of them within a second, the lifetime of the
   * response cache. Each request therefore reads the database.
   */
  paths: string[]
  /** True for a single URL that is served from the response cache. */
  isCached?: boolean
  /** True if a user with a long history sends the requests. */
  hasLongHistory?: boolean
  target: { ratio: number; ms?: number }
}

const listing = { ratio: 1.5 }
const search = { ratio: 3, ms: 50 }
const variants = 1000

/**
 * Returns all listings, with many ids, cursors, page sizes and search words. `busyId` is the user with a long history.
 */
export async function makeCases(
  pool: Pool,
  { videos }: CatalogueSize,
  busyId: string,
): Promise<CatalogueCase[]> {
  const ids = async (sql: string) => (await pool.query<{ id: string }>(sql)).rows.map(({ id }) => id)
  const commonTags = await ids('SELECT id FROM tags ORDER BY video_count DESC, id LIMIT 20')
  const rareTags = await ids('SELECT id FROM tags WHERE video_count > 0 ORDER BY video_count, id LIMIT 20')
  const menu = await ids('SELECT id FROM categories WHERE position <= 20 ORDER BY position')
  const sections = await ids(
    `SELECT id FROM sections WHERE source ->> 'type' <> 'recommended' ORDER BY position`,
  )
  const recommended = await ids(`SELECT id FROM sections WHERE source ->> 'type' = 'recommended'`)
  const some = await ids(
    `SELECT bench_id('vid', 1 + n * ${Math.max(1, Math.floor(videos / 1000))}) AS id FROM generate_series(0, 999) n`,
  )
  const places = await readCursors(pool, some, busyId)
  const list = (values: Record<string, string>) => ({ path: '/api/homepage/query', values })
  const all = [{ ...list({}), name: 'all' }]
  const named = (field: string, values: readonly string[]) =>
    values.map((id) => ({ ...list({ [field]: id }), name: id }))
  const newest = (lists: Parameters<typeof pagesOf>[0], where: 'front' | 'anywhere') =>
    pagesOf(lists, 'newest', places[where].newest)
  const popular = (lists: Parameters<typeof pagesOf>[0], where: 'front' | 'anywhere') =>
    pagesOf(lists, 'popular', places[where].popular)
  return [
    { name: 'homepage', paths: ['/api/homepage'], isCached: true, target: listing },
    { name: 'all, newest', paths: newest(all, 'front'), target: listing },
    { name: 'all, popular', paths: popular(all, 'front'), target: listing },
    { name: 'all, newest, anywhere', paths: newest(all, 'anywhere'), target: listing },
    { name: 'all, popular, anywhere', paths: popular(all, 'anywhere'), target: listing },
    { name: 'a section', paths: newest(named('section', sections), 'front'), target: listing },
    { name: 'a menu entry, newest', paths: newest(named('menu', menu), 'front'), target: listing },
    {
      name: 'a menu entry, popular, anywhere',
      paths: popular(named('menu', menu), 'anywhere'),
      target: listing,
    },
    { name: 'a common tag, newest', paths: newest(named('tag', commonTags), 'front'), target: listing },
    {
      name: 'a common tag, popular, anywhere',
      paths: popular(named('tag', commonTags), 'anywhere'),
      target: listing,
    },
    { name: 'a rare tag, newest', paths: newest(named('tag', rareTags), 'front'), target: listing },
    {
      name: 'the tags',
      paths: pagesOf([{ path: '/api/tag', values: {}, name: 'tags' }], undefined, places.tags),
      target: listing,
    },
    { name: 'a video and related', paths: some.map((id) => `/api/video?id=${id}`), target: listing },
    {
      name: 'recommendations for a user with a long history',
      paths: pagesOf(named('section', recommended), undefined, places.recommended),
      hasLongHistory: true,
      target: listing,
    },
    {
      name: 'history of a user with a long history',
      paths: pagesOf([{ path: '/api/user/history', values: {}, name: 'watched' }], undefined, places.history),
      hasLongHistory: true,
      target: listing,
    },
    {
      name: 'favorites of a user with a long history',
      paths: pagesOf(
        [{ path: '/api/user/favorite', values: {}, name: 'favorites' }],
        undefined,
        places.favorites,
      ),
      hasLongHistory: true,
      target: listing,
    },
    ...searches(await readWords(pool)),
    // A catalogue that was filled by an earlier version may have no section with recommendations.
  ].filter(({ paths }) => paths.length > 0)
}

function searches({ common, middling, rare, pairs }: Awaited<ReturnType<typeof readWords>>): CatalogueCase[] {
  const ask = (path: string, values: Record<string, string>) =>
    `${path}?${new URLSearchParams(values).toString()}`
  const sized = (keyword: string, index: number) => ({ keyword, limit: String(11 + (index % 19)) })
  const find = (words: readonly string[], more: Record<string, string> = {}) =>
    words.map((word, index) => ask('/api/homepage/query', { ...sized(word, index), ...more }))
  const typeAhead = (words: readonly string[]) =>
    words.map((word, index) => ask('/api/tag', sized(word, index)))
  const beginnings = [...common, ...middling].map((word, index) => word.slice(0, 1 + (index % 4)))
  return [
    { name: 'search, common word', paths: find(common), target: search },
    { name: 'search, middling word', paths: find(middling), target: search },
    { name: 'search, rare word', paths: find(rare), target: search },
    { name: 'search, two words of a video', paths: find(pairs), target: search },
    { name: 'search, newest first', paths: find(middling, { sort: 'newest' }), target: search },
    { name: 'search with a typo', paths: find([...middling, ...rare].map(mistype)), target: search },
    { name: 'type-ahead, 1 to 4 letters', paths: typeAhead(beginnings), target: search },
    {
      name: 'type-ahead with a typo',
      paths: typeAhead(middling.map((word, index) => mistype(word, index).slice(0, 6))),
      target: search,
    },
  ]
}

/** Returns search words from English titles: common, less common and rare words, and pairs. */
async function readWords(pool: Pool) {
  const words = (from: number, to: number) =>
    Array.from({ length: variants }, (_, index) =>
      randomWord(0, from + Math.floor(((to - from) * index) / variants)),
    )
  const { rows } = await pool.query<{ words: string }>(
    `SELECT split_part(titles ->> 'en', ' ', 1) || ' ' || split_part(titles ->> 'en', ' ', 2) AS words
     FROM videos WHERE id IN (SELECT bench_id('vid', n * 3) FROM generate_series(1, ${variants}) n)`,
  )
  return {
    common: words(1, 20),
    middling: words(50, 1000),
    rare: words(4000, 7000),
    pairs: rows.map((row) => row.words),
  }
}

/** Swaps two letters of a word. `index` decides which letters. */
function mistype(word: string, index: number): string {
  const place = 1 + (index % (word.length - 2))
  return word.slice(0, place) + word.charAt(place + 1) + word.charAt(place) + word.slice(place + 2)
}
