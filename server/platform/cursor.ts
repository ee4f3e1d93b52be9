import { hash } from 'node:crypto'
import { Fault } from '#contract/errors.ts'

type Position = readonly (string | number)[]

/**
 * The types of values in a cursor. A value of another type is refused. The database accepts every value of these types,
 * so a forged cursor is harmless.
 */
interface CursorValueTypes {
  /** ISO 8601, as written by `toISOString`. */
  time: string
  /** The range of PostgreSQL's `integer`. */
  integer: number
  /** PostgreSQL's `bigint`, up to Number.MAX_SAFE_INTEGER. */
  count: number
  text: string
}
type CursorValueType = keyof CursorValueTypes

const isOfType: Record<CursorValueType, (part: unknown) => boolean> = {
  time: (part) =>
    typeof part === 'string' &&
    /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(part) &&
    !Number.isNaN(Date.parse(part)),
  integer: (part) => Number.isInteger(part) && Number(part) === (Number(part) | 0),
  count: (part) => Number.isSafeInteger(part) && Number(part) >= 0,
  text: (part) => typeof part === 'string' && !part.includes('\0') && part.isWellFormed(),
}

/**
 * Encodes an opaque cursor: a position in a list, and a checksum of the list's name and the position.
 * @param list the name of the list, with everything that orders it; a cursor of another list is refused.
 * @param position the sort key of the last returned row, which ends with the row's id.
 */
export function encodeCursor(list: string, position: Position): string {
  return Buffer.from(JSON.stringify([cursorChecksum(list, position), ...position])).toString('base64url')
}

/** Returns a short checksum of the list's name and the position. */
function cursorChecksum(list: string, position: Position): string {
  return hash('sha256', JSON.stringify([list, ...position]), 'base64url').slice(0, 12)
}

/**
 * Decodes a cursor of `encodeCursor`.
 * @param kinds the types of the position's parts
 * @returns the position, or undefined without a cursor (the first page).
 * @throws Fault invalidCursor if it is damaged or belongs to another list.
 */
export function decodeCursor<const Shape extends readonly CursorValueType[]>(
  list: string,
  cursor: string | undefined,
  kinds: Shape,
): { [Index in keyof Shape]: CursorValueTypes[Shape[Index]] } | undefined {
  if (cursor === undefined) return undefined
  const parts = parse(cursor)
  if (!Array.isArray(parts) || parts.length !== kinds.length + 1) throw new Fault('invalidCursor')
  const [mark, ...position] = parts
  const sound = kinds.every((kind, index) => isOfType[kind](position[index]))
  if (!sound || mark !== cursorChecksum(list, position)) throw new Fault('invalidCursor')
  // Each part was validated above.
  return position as unknown as { [Index in keyof Shape]: CursorValueTypes[Shape[Index]] }
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

/** Returns the page size: the requested size up to the maximum, or the default if none was requested. */
export function choosePageSize(
  requested: number | undefined,
  limits: { default: number; max: number },
): number {
  return Math.min(requested ?? limits.default, limits.max)
}

/**
 * Cuts rows to one page. The query must have read one row more than `size`. `last` is the page's last row if more rows
 * follow.
 */
export function cutPage<Row>(rows: readonly Row[], size: number): { page: Row[]; last: Row | undefined } {
  const page = rows.slice(0, size)
  return { page, last: rows.length > size ? page.at(-1) : undefined }
}
