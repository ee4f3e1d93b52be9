import type { Pool } from 'pg'
import { endOf, mostSeeds } from '#server/features/catalog/recommendations/recommend-queries.ts'
import { writeBasis } from '#server/features/catalog/recommendations/recommend-videos.ts'
import { encodeCursor } from '#server/platform/cursor.ts'

/** What a cursor says of the last row of the page before; the list's beginning where there is none. */
type Place = readonly [...ranking: number[], key: string | number, id: string] | undefined

/** A list that can be paged: its address, and the name by which its cursors know it. */
interface Paged {
  path: string
  values: Record<string, string>
  name: string
}

/** Prime numbers, so that lists, places and page sizes that are taken by turns meet in each combination once. */
const frontPlaces = 101
const pageSizes = 19
const smallestPage = 11

/** Pages of these lists, each by another place, page size or list; of no list none. The first is a list's beginning, all others go on by a cursor. */
export function pagesOf(
  lists: readonly Paged[],
  sort: 'newest' | 'popular' | undefined,
  places: readonly Place[],
): string[] {
  return Array.from({ length: frontPlaces * pageSizes }).flatMap((_, turn) => {
    const list = lists[turn % lists.length]
    if (!list) return []
    const { path, values, name } = list
    const place = places[turn % places.length]
    const query = new URLSearchParams({
      ...values,
      ...(sort ? { sort } : {}),
      limit: String(smallestPage + (turn % pageSizes)),
      ...(place ? { cursor: encodeCursor(sort ? `${name} ${sort}` : name, inOrder(sort, place)) } : {}),
    })
    return `${path}?${query.toString()}`
  })
}

/** By popularity a cursor also says which of those that rose are still to be given: here all. */
function inOrder(sort: 'newest' | 'popular' | undefined, place: NonNullable<Place>) {
  return sort === 'popular' ? [0, '', ...place] : place
}

interface Row {
  id: string
  key: Date | number
}
const placeOf = ({ id, key }: Row): Place => [key instanceof Date ? key.toISOString() : key, id]

/** Places near the front of all lists of videos and at any depth (of `some` videos), of the tags, and of what one person keeps. */
export async function readPlaces(pool: Pool, some: readonly string[], personId: string) {
  const read = async (text: string, values: unknown[] = []) => [
    undefined,
    ...(await pool.query<Row>(text, values)).rows.map(placeOf),
  ]
  const front = (column: string) =>
    read(`SELECT id, ${column} AS key FROM videos WHERE state = 'published'
      ORDER BY ${column} DESC, id DESC LIMIT ${frontPlaces - 1}`)
  const anywhere = (column: string) =>
    read(
      `SELECT id, ${column} AS key FROM videos WHERE id = ANY($1) ORDER BY md5(id) LIMIT ${frontPlaces - 1}`,
      [some],
    )
  const kept = (table: string, time: string) =>
    read(
      `SELECT video_id AS id, ${time} AS key FROM ${table} WHERE user_id = $1 ORDER BY md5(video_id) LIMIT ${frontPlaces - 1}`,
      [personId],
    )
  // Recommendations go by what was watched last, and leave out what was watched and given: from the first page to the last.
  const { rows: watched } = await pool.query<{ id: string }>(
    'SELECT video_id AS id FROM history WHERE user_id = $1 AND NOT removed ORDER BY at DESC, video_id LIMIT 50',
    [personId],
  )
  const ids = watched.map(({ id }) => id)
  const bases = Array.from({ length: frontPlaces - 1 }, (_, index): Place =>
    writeBasis({
      seeds: ids.slice(0, mostSeeds),
      without: [...ids, ...some.slice(0, 1 + Math.floor((index * 190) / frontPlaces))].map(endOf),
    }),
  )
  const tags = await read(
    `SELECT id, rank AS key FROM tags WHERE video_count > 0 ORDER BY md5(id) LIMIT ${frontPlaces - 1}`,
  )
  const [ranking] = (await pool.query('SELECT tags_version AS version FROM ranking_versions')).rows
  return {
    recommended: [undefined, ...bases],
    front: { newest: await front('released_at'), popular: await front('popularity') },
    anywhere: { newest: await anywhere('released_at'), popular: await anywhere('popularity') },
    tags: tags.map((place): Place => place && [Number(ranking?.version), ...place]),
    history: await kept('history', 'at'),
    favorites: await kept('favorites', 'favorited_at'),
  }
}
