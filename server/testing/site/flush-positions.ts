import { listHistory } from '#contract/library.ts'
import type { Visitor } from './visitor.ts'

/**
 * Makes both processes of a site write a visitor's buffered positions. The proxy sends requests to them in turn, and a
 * request for the history writes the positions first.
 */
export async function flushPositions(visitor: Visitor): Promise<void> {
  for (let process = 0; process < 2; process++) await visitor.callOk(listHistory)
}
