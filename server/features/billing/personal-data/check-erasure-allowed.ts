import { Refusal } from '#contract/errors.ts'
import type { RemainingBalance } from '#contract/top-ups.ts'
import type { Tx } from '#server/tables.ts'
import { selectUnspentTopUps } from '#server/features/billing/balance/bonus-queries.ts'
import { hasOpenTopUpRefund } from './personal-data-queries.ts'

/**
 * Refuses to delete an account whose balance has paid money, unless the user has confirmed that it is forfeited. Always
 * refuses while a refund of a top-up is in progress, because nobody could claim the money if that refund failed.
 * @throws Refusal balanceRefundPending; balanceNotEmpty, unless `isConfirmed`
 */
export async function checkErasureAllowed(tx: Tx, userId: string, isConfirmed: boolean): Promise<void> {
  if (await hasOpenTopUpRefund(tx, userId)) throw new Refusal('balanceRefundPending')
  if (isConfirmed) return
  const lotsByCurrency = Map.groupBy(await selectUnspentTopUps(tx, userId), ({ currency }) => currency)
  if (lotsByCurrency.size === 0) return
  const balances: RemainingBalance[] = [...lotsByCurrency].map(([currency, lots]) => ({
    currency,
    amount_cents: lots.reduce((sum, { remaining_cents }) => sum + remaining_cents, 0),
    refundable_cents: lots.reduce((sum, { refundable_cents }) => sum + refundable_cents, 0),
  }))
  throw new Refusal('balanceNotEmpty', { balances })
}
