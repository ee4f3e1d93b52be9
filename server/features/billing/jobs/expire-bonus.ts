import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { expireLots } from '#server/features/billing/balance/balance.ts'
import { lockExpiredLots } from '#server/features/billing/balance/lot-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'

const batch = 200

/**
 * Removes expired bonus from balances. It could not be spent before; this adds the expiry to the statement. While balances are
 * off nothing is removed.
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
