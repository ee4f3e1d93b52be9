import { timingSafeEqual } from 'node:crypto'

/**
 * Compares two texts, such as a received signature and the expected one, in a time that does not depend on where they
 * differ. Texts of different lengths in bytes are not equal.
 */
export function equalsInConstantTime(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
