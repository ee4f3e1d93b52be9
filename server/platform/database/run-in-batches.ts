import type { Kysely, Transaction } from 'kysely'
import { inTransaction } from './in-transaction.ts'

export interface BatchOptions {
  limit?: number
  signal?: AbortSignal | undefined
}

/**
 * Runs `work` in batches, each in its own transaction, until a batch is not full or the signal aborts. So no
 * transaction locks many rows or takes long.
 * @param work processes at most `limit` rows, and returns how many it processed
 */
export async function runInBatches<Tables>(
  db: Kysely<Tables>,
  work: (tx: Transaction<Tables>, limit: number) => Promise<number>,
  { limit = 5000, signal }: BatchOptions = {},
): Promise<void> {
  let processed = limit
  while (processed === limit && !signal?.aborted) processed = await inTransaction(db, (tx) => work(tx, limit))
}
