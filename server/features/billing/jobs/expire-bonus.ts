import { runInBatches } from '#server/platform/database/run-in-batches.ts'
import type { Tx } from '#server/tables.ts'
import { expireLots } from '#server/features/billing/balance/balance.ts'
import { lockExpiredLots } from '#server/features/billing/balance/lot-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'

const batch = 200

/**
 * Removes expired bonus from balances, with an entry in the balance history. Expired bonus cannot be spent, even if
 * this job has not removed it yet. Does nothing while balances are off.
 */
export async function expireBonus({ db, clock, isBalanceEnabled }: BillingContext): Promise<void> {
  if (!isBalanceEnabled) return
  const now = clock.now()
  const expireBatch = async (tx: Tx, limit: number) => {
    const lots = await lockExpiredLots(tx, now, limit)
    await expireLots(tx, lots, now)
    return lots.length
  }
  await runInBatches(db, expireBatch, { limit: batch })
}
