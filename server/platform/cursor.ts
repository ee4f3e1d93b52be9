import { hash } from 'node:crypto'
import { Fault } from '#contract/errors.ts'

type Position = readonly (string | number)[]

/** What a cursor may contain. An invented cursor is refused or harmless: the database accepts each of these values. */
interface Kinds {
  /** As `toISOString` writes it. */
  time: string
  /** Of PostgreSQL's `integer`. */
  integer: number
  /** Of its `bigint`, as far as a number is exact. */
  count: number
  text: string
}
type Kind = keyof Kinds

const fits: Record<Kind, (part: unknown) => boolean> = {
  time: (part) =>
    typeof part === 'string' &&
    /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(part) &&
    !Number.isNaN(Date.parse(part)),
  integer: (part) => Number.isInteger(part) && Number(part) === (Number(part) | 0),
  count: (part) => Number.isSafeInteger(part) && Number(part) >= 0,
  text: (part) => typeof part === 'string' && !part.includes('\0') && part.isWellFormed(),
}

/**
 * An opaque cursor: the position in a list, and which list it belongs to.
 * @param list names the list and everything that orders it; a cursor of another list is refused.
 * @param position the sort key of the last row given, its id last.
 */
export function encodeCursor(list: string, position: Position): string {
  return Buffer.from(JSON.stringify([markOf(list, position), ...position])).toString('base64url')
}

/** Short whatever the list's name holds, and another one where a character of the cursor was lost. */
function markOf(list: string, position: Position): string {
  return hash('sha256', JSON.stringify([list, ...position]), 'base64url').slice(0, 12)
}

/**
 * Opens a cursor made by `encodeCursor`.
 * @param kinds what the list's position is made of
 * @returns the position, or undefined if there is no cursor: the list's beginning.
 * @throws Fault badCursor if it is damaged or belongs to another list.
 */
export function decodeCursor<const Shape extends readonly Kind[]>(
  list: string,
  cursor: string | undefined,
  kinds: Shape,
): { [Index in keyof Shape]: Kinds[Shape[Index]] } | undefined {
  if (cursor === undefined) return undefined
  const parts = parse(cursor)
  if (!Array.isArray(parts) || parts.length !== kinds.length + 1) throw new Fault('badCursor')
  const [mark, ...position] = parts
  const sound = kinds.every((kind, index) => fits[kind](position[index]))
  if (!sound || mark !== markOf(list, position)) throw new Fault('badCursor')
  // Each part has just been found to be of its kind.
  return position as unknown as { [Index in keyof Shape]: Kinds[Shape[Index]] }
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

/** The page size for what was asked: the usual one where nothing was, and never above the most. */
export function pageSize(asked: number | undefined, limits: { usual: number; most: number }): number {
  return Math.min(asked ?? limits.usual, limits.most)
}

/** Of rows that were read with one more than a page holds: the page, and its last row where others follow. */
export function cutPage<Row>(rows: readonly Row[], size: number): { page: Row[]; last: Row | undefined } {
  const page = rows.slice(0, size)
  return { page, last: rows.length > size ? page.at(-1) : undefined }
}
