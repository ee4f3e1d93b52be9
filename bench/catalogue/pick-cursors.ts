import type { Pool } from 'pg'
import { idSuffix, maxSeeds } from '#server/features/catalog/recommendations/recommend-queries.ts'
import { encodeBasis } from '#server/features/catalog/recommendations/recommend-videos.ts'
import { encodeCursor } from '#server/platform/cursor.ts'

/** Sort key of the last row of a page, as in a cursor; undefined for the start of the list. */
type Place = readonly [...ranking: number[], key: string | number, id: string] | undefined

/** A list with pages: its URL, and its name in cursors. */
interface Paged {
  path: string
  values: Record<string, string>
  name: string
}

/**
 * Numbers of positions and of page sizes. Both are prime, so that each position is combined once with each page size.
 */
const frontPlaces = 101
const pageSizes = 19
const smallestPage = 11

/**
 * Returns URLs of pages of these lists, with varying positions and page sizes. A URL has a cursor, unless its position
 * is the start of the list. Returns an empty array if there are no lists.
 */
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

/**
 * Returns the values of a cursor. In a list by popularity, the first two values are the rank change at which the last
 * page ended. The bench uses the values for “no rank change”.
 */
function inOrder(sort: 'newest' | 'popular' | undefined, place: NonNullable<Place>) {
  return sort === 'popular' ? [0, '', ...place] : place
}

interface Row {
  id: string
  key: Date | number
}
const placeOf = ({ id, key }: Row): Place => [key instanceof Date ? key.toISOString() : key, id]

/**
 * Returns cursor positions in the list of all videos, the recommendations, the list of tags and a user's lists. In the
 * list of all videos, `front` has positions near the start, and `anywhere` has positions of videos whose ids are in
 * `some`.
 */
export async function readCursors(pool: Pool, some: readonly string[], personId: string) {
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
  const middleRow = (table: string, time: string) =>
    read(
      `SELECT video_id AS id, ${time} AS key FROM ${table} WHERE user_id = $1 ORDER BY md5(video_id) LIMIT ${frontPlaces - 1}`,
      [personId],
    )
  // The cursor of the recommendations depends on the latest history. It excludes watched videos and the videos of
  // earlier pages.
  const { rows: watched } = await pool.query<{ id: string }>(
    'SELECT video_id AS id FROM watch_history WHERE user_id = $1 AND NOT removed ORDER BY at DESC, video_id LIMIT 50',
    [personId],
  )
  const ids = watched.map(({ id }) => id)
  const bases = Array.from({ length: frontPlaces - 1 }, (_, index): Place =>
    encodeBasis({
      seeds: ids.slice(0, maxSeeds),
      without: [...ids, ...some.slice(0, 1 + Math.floor((index * 190) / frontPlaces))].map(idSuffix),
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
    history: await middleRow('watch_history', 'at'),
    favorites: await middleRow('favorites', 'favorited_at'),
  }
}
