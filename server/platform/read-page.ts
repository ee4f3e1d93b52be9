import { cutPage, decodeCursor, encodeCursor } from './cursor.ts'
import type { PagePosition } from './database/prepared-page.ts'

/** The requested page of a list. */
export interface Paging {
  cursor?: string | undefined
  size: number
}

/**
 * Reads one page of a list that is ordered by a time, the latest first, and an id. It reads one row more than the page
 * size, to know whether more rows follow.
 * @param name the list's name, with everything that orders or filters it
 * @param positionOf returns the position of a row
 * @throws Fault invalidCursor, also for a cursor of another list
 */
export async function readPage<Row>(
  name: string,
  { cursor, size }: Paging,
  read: (after: PagePosition | undefined, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => [Date, string],
): Promise<{ page: Row[]; next_cursor: string | null }> {
  const position = decodeCursor(name, cursor, ['time', 'text'])
  const rows = await read(position && { at: position[0], id: position[1] }, size + 1)
  const { page, last } = cutPage(rows, size)
  if (!last) return { page, next_cursor: null }
  const [at, id] = positionOf(last)
  return { page, next_cursor: encodeCursor(name, [at.toISOString(), id]) }
}
