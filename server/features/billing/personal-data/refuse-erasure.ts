import { Refusal } from '#contract/errors.ts'
import type { Tx } from '#server/tables.ts'
import { selectUnspentTopUps } from '#server/features/billing/balance/lot-queries.ts'

/** Keeps an account with paid money in its balance from being deleted unasked: it can be refunded first. @throws Refusal balanceLeft */
export async function refuseErasure(tx: Tx, userId: string): Promise<void> {
  const left = Map.groupBy(await selectUnspentTopUps(tx, userId), ({ currency }) => currency)
  if (left.size === 0) return
  const balances = [...left].map(([currency, lots]) => ({
    currency,
    amount_cents: lots.reduce((sum, { left_cents }) => sum + left_cents, 0),
  }))
  throw new Refusal('balanceLeft', { balances })
}
