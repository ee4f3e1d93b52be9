import { createHash } from 'node:crypto'
import { Fault } from '#contract/errors.ts'

type Position = readonly (string | number)[]

/**
 * An opaque cursor: where a list goes on, and which list it belongs to.
 * @param list names the list and everything that orders it; a cursor of another list is refused.
 * @param position the sort key of the last row given, its id last.
 */
export function encodeCursor(list: string, position: Position): string {
  return Buffer.from(JSON.stringify([markOf(list, position), ...position])).toString('base64url')
}

/** Short whatever the list's name holds, and another one where a character of the cursor was lost. */
function markOf(list: string, position: Position): string {
  return createHash('sha256')
    .update(JSON.stringify([list, ...position]))
    .digest('base64url')
    .slice(0, 12)
}

/**
 * Opens a cursor made by `encodeCursor`.
 * @returns the position, or undefined where there is no cursor: the list's beginning.
 * @throws Fault badCursor where it is damaged or belongs to another list.
 */
export function decodeCursor(list: string, cursor: string | undefined, length: number): Position | undefined {
  if (cursor === undefined) return undefined
  const parts = parse(cursor)
  if (!Array.isArray(parts) || parts.length !== length + 1) throw new Fault('badCursor')
  const [mark, ...position] = parts
  if (mark !== markOf(list, position)) throw new Fault('badCursor')
  return position
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
