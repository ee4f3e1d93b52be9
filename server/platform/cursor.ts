import { Fault } from '#contract/errors.ts'

type Position = readonly (string | number)[]

/**
 * An opaque cursor: where a list goes on, and which list it belongs to.
 * @param list names the list and everything that orders it; a cursor of another list is refused.
 * @param position the sort key of the last row given, its id last.
 */
export function encodeCursor(list: string, position: Position): string {
  return Buffer.from(JSON.stringify([list, ...position])).toString('base64url')
}

/**
 * Opens a cursor made by `encodeCursor`.
 * @returns the position, or undefined where there is no cursor: the list's beginning.
 * @throws Fault badCursor where it is damaged or belongs to another list.
 */
export function decodeCursor(list: string, cursor: string | undefined, length: number): Position | undefined {
  if (cursor === undefined) return undefined
  const parts = parse(cursor)
  const whole = Array.isArray(parts) && parts.length === length + 1 && parts[0] === list
  if (!whole || !parts.every((part) => typeof part === 'string' || Number.isFinite(part))) {
    throw new Fault('badCursor')
  }
  return parts.slice(1)
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
