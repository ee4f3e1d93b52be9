import type { Pool } from 'pg'
import { encodeCursor } from '#server/platform/cursor.ts'
import type { CatalogueSize } from './fill-catalogue.ts'
import { madeUpWord } from './made-up-words.ts'

/** A listing to measure: the calls that its clients make by turns, and how much slower it may get. */
export interface Case {
  name: string
  paths: string[]
  /** Asked by a person with a long history. */
  busy?: boolean
  aim: { ratio: number; ms?: number }
}

const listing = { ratio: 1.5 }
const search = { ratio: 3, ms: 50 }
const variants = 200

/** Every listing, each with many different ids or words. */
export async function makeCases(pool: Pool, { videos }: CatalogueSize): Promise<Case[]> {
  const query = (values: Record<string, string>) =>
    `/api/homepage/query?${new URLSearchParams(values).toString()}`
  const read = async <Row extends object>(sql: string, values: unknown[] = []) =>
    (await pool.query<Row>(sql, values)).rows
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
  const commonTags = ids(await read('SELECT id FROM tags ORDER BY video_count DESC, id LIMIT 20'))
  const rareTags = ids(
    await read('SELECT id FROM tags WHERE video_count > 0 ORDER BY video_count, id LIMIT 20'),
  )
  const menu = ids(await read('SELECT id FROM categories WHERE position <= 20 ORDER BY position'))
  const sections = ids(await read('SELECT id FROM sections ORDER BY position'))
  const some = ids(
    await read(
      `SELECT bench_id('vid', 1 + n * ${Math.max(1, Math.floor(videos / 1000))}) AS id FROM generate_series(0, 999) n`,
    ),
  )
  const deep = (table: 'released_at' | 'popularity', name: string) =>
    read<{ id: string; key: Date | number }>(
      `SELECT id, ${table} AS key FROM videos WHERE state = 'published' ORDER BY ${table} DESC, id DESC
       OFFSET ${Math.floor(videos * 0.6)} LIMIT 20`,
    ).then((rows) =>
      rows.map(({ id, key }) => encodeCursor(name, [key instanceof Date ? key.toISOString() : key, id])),
    )
  const { common, middling, rare, pairs } = await readWords(pool)
  return [
    { name: 'homepage', paths: ['/api/homepage'], aim: listing },
    { name: 'all, newest', paths: [query({ sort: 'newest' })], aim: listing },
    { name: 'all, popular', paths: [query({ sort: 'popular' })], aim: listing },
    {
      name: 'all, newest, 60 % down',
      paths: (await deep('released_at', 'all newest')).map((cursor) => query({ sort: 'newest', cursor })),
      aim: listing,
    },
    {
      name: 'all, popular, 60 % down',
      paths: (await deep('popularity', 'all popular')).map((cursor) => query({ sort: 'popular', cursor })),
      aim: listing,
    },
    { name: 'a section', paths: sections.map((section) => query({ section })), aim: listing },
    { name: 'a menu entry, newest', paths: menu.map((id) => query({ menu: id })), aim: listing },
    {
      name: 'a menu entry, popular',
      paths: menu.map((id) => query({ menu: id, sort: 'popular' })),
      aim: listing,
    },
    { name: 'a common tag, newest', paths: commonTags.map((tag) => query({ tag })), aim: listing },
    {
      name: 'a common tag, popular',
      paths: commonTags.map((tag) => query({ tag, sort: 'popular' })),
      aim: listing,
    },
    { name: 'a rare tag, newest', paths: rareTags.map((tag) => query({ tag })), aim: listing },
    { name: 'the tags', paths: ['/api/tag'], aim: listing },
    { name: 'a video and related', paths: some.map((id) => `/api/video?id=${id}`), aim: listing },
    { name: 'history of a busy person', paths: ['/api/user/history'], busy: true, aim: listing },
    { name: 'favorites of a busy person', paths: ['/api/user/favorite'], busy: true, aim: listing },
    { name: 'search, common word', paths: common.map((keyword) => query({ keyword })), aim: search },
    { name: 'search, middling word', paths: middling.map((keyword) => query({ keyword })), aim: search },
    { name: 'search, rare word', paths: rare.map((keyword) => query({ keyword })), aim: search },
    { name: 'search, two words of a video', paths: pairs.map((keyword) => query({ keyword })), aim: search },
    {
      name: 'search, newest first',
      paths: middling.map((keyword) => query({ keyword, sort: 'newest' })),
      aim: search,
    },
    {
      name: 'search with a typo',
      paths: [...middling, ...rare].map((word) => query({ keyword: mistype(word) })),
      aim: search,
    },
    {
      name: 'type-ahead, 1 to 4 letters',
      paths: [...common, ...middling].map(
        (word, index) => `/api/tag?keyword=${encodeURIComponent(word.slice(0, 1 + (index % 4)))}`,
      ),
      aim: search,
    },
    {
      name: 'type-ahead with a typo',
      paths: middling.map((word) => `/api/tag?keyword=${encodeURIComponent(mistype(word).slice(0, 6))}`),
      aim: search,
    },
  ]
}

/** Words as somebody would look for them: of English titles, from the most common to the rarest. */
async function readWords(pool: Pool) {
  const words = (from: number, to: number) =>
    Array.from({ length: variants }, (_, index) =>
      madeUpWord(0, from + Math.floor(((to - from) * index) / variants)),
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

/** The third and the fourth letter change places. */
function mistype(word: string): string {
  return word.slice(0, 2) + word.charAt(3) + word.charAt(2) + word.slice(4)
}
