import { inTransaction } from '#server/platform/database/in-transaction.ts'
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
  const expireBatch = () =>
    inTransaction(db, async (tx) => {
      const lots = await lockExpiredLots(tx, now, batch)
      await expireLots(tx, lots, now)
      return lots.length
    })
  while ((await expireBatch()) === batch);
}
