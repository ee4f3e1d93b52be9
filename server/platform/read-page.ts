import { cutPage, decodeCursor, encodeCursor } from './cursor.ts'
import type { After } from './database/prepared-page.ts'

/** Which page of a list is asked for. */
export interface Paging {
  cursor?: string | undefined
  size: number
}

/**
 * One page of a list that is ordered by a time, the latest first, and an id; it is read with one row more than it shows.
 * @param name the list's, with everything that orders or filters it
 * @param positionOf the position of a row
 * @throws Fault badCursor, also for a cursor of another list
 */
export async function readPage<Row>(
  name: string,
  { cursor, size }: Paging,
  read: (after: After | undefined, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => [Date, string],
): Promise<{ page: Row[]; next_cursor: string | null }> {
  const position = decodeCursor(name, cursor, ['time', 'text'])
  const rows = await read(position && { at: position[0], id: position[1] }, size + 1)
  const { page, last } = cutPage(rows, size)
  if (!last) return { page, next_cursor: null }
  const [at, id] = positionOf(last)
  return { page, next_cursor: encodeCursor(name, [at.toISOString(), id]) }
}
