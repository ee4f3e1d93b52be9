import { listHistory } from '#contract/library.ts'
import type { Visitor } from './visitor.ts'

/**
 * Makes each of a site's two processes write a visitor's waiting positions: they take requests in turn, and reading the history writes
 * them first.
 */
export async function flushPositions(visitor: Visitor): Promise<void> {
  for (let process = 0; process < 2; process++) await visitor.ask(listHistory)
}
