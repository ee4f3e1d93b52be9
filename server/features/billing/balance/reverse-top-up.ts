import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { enterBonusSetOff, enterTopUpReversal } from '#server/features/billing/ledger/balance-ledger.ts'
import {
  reduceDiscount,
  selectBonusSpending,
  selectBonusSetOffs,
  type BonusSpending,
} from './bonus-queries.ts'
import { addLoss, lockLotsOfTopUp, setBonusWithdrawn, type LotRow } from './lot-queries.ts'
import { insertEntry } from './entry-queries.ts'

// These functions change a balance after a refund or dispute of a top-up. Callers must lock the user first
// (`lockBuyer`).

/** Why money of a top-up is taken from the balance. */
export type TopUpReversalReason = 'top_up_refund' | 'chargeback'

async function lockTopUpLots(tx: Tx, topUpId: string): Promise<Partial<Record<LotRow['kind'], LotRow>>> {
  return Object.fromEntries((await lockLotsOfTopUp(tx, topUpId)).map((lot) => [lot.kind, lot]))
}

/** Locks and returns the paid lot of a top-up. */
export const lockPaidLot = async (tx: Tx, topUpId: string): Promise<LotRow | undefined> =>
  (await lockTopUpLots(tx, topUpId)).paid

/** Reverses money of a lot after a refund or dispute of its top-up: `reversed` is unspent, `lost` was already spent. */
export async function reverseLot(
  tx: Tx,
  lot: LotRow,
  kind: TopUpReversalReason | 'restored',
  { reversed, lost }: { reversed: number; lost: number },
  now: Date,
): Promise<void> {
  const entryId = newId('bal')
  const { user_id, order_id, currency } = lot
  if (reversed !== 0)
    await insertEntry(
      tx,
      { id: entryId, user_id, order_id, kind, currency, at: now },
      [{ lot, cents: -reversed }],
      true,
    )
  if (lost !== 0) await addLoss(tx, lot.id, lost)
  if (lot.kind === 'paid')
    await enterTopUpReversal(tx, { id: order_id, currency }, entryId, { reversed, lost }, now)
}

/** Reduces the loss of a top-up by the money that refunds of purchases have returned to its lot. */
export async function recoverLoss(
  tx: Tx,
  topUpId: string,
  kind: TopUpReversalReason,
  now: Date,
): Promise<void> {
  const { paid: lot } = await lockTopUpLots(tx, topUpId)
  const cents = lot ? Math.min(lot.lost_cents, lot.remaining_cents) : 0
  if (!lot || cents === 0) return
  await reverseLot(tx, lot, kind, { reversed: cents, lost: -cents }, now)
}

/**
 * Withdraws the bonus of a refunded or disputed top-up if the top-up's remaining paid money does not exceed the spent
 * bonus. The remaining paid money then pays for what the bonus bought (set-off), so nobody keeps the bonus of a
 * refunded top-up.
 */
export async function withdrawBonus(
  tx: Tx,
  topUpId: string,
  kind: TopUpReversalReason,
  now: Date,
): Promise<void> {
  const { paid, bonus } = await lockTopUpLots(tx, topUpId)
  if (!paid || !bonus || bonus.restore_below_cents !== null) return
  const purchases = await selectBonusSpending(tx, topUpId)
  if (paid.remaining_cents > purchases.reduce((sum, { cents }) => sum + cents, 0)) return
  await setBonusWithdrawn(tx, bonus.id, paid.reversed_cents + paid.lost_cents)
  let remainingCents = paid.remaining_cents
  for (const purchase of purchases) {
    const cents = Math.min(remainingCents, purchase.cents)
    if (cents > 0) await setOffBonus(tx, { paid, bonus }, { ...purchase, cents }, now)
    remainingCents -= cents
  }
  await removeWithdrawnBonus(tx, topUpId, kind, now)
}

/**
 * Empties the lot of a withdrawn bonus: removes unspent bonus and, in later calls, bonus that refunds of purchases
 * credit.
 */
export async function removeWithdrawnBonus(
  tx: Tx,
  topUpId: string,
  kind: TopUpReversalReason,
  now: Date,
): Promise<void> {
  const { bonus } = await lockTopUpLots(tx, topUpId)
  if (!bonus || bonus.restore_below_cents === null || bonus.remaining_cents === 0) return
  await reverseLot(tx, bonus, kind, { reversed: bonus.remaining_cents, lost: 0 }, now)
}

/**
 * Restores a withdrawn bonus if less of its top-up is refunded and disputed than when the bonus was withdrawn.
 * @param returnedCents the refunded and disputed amount of the top-up
 */
export async function restoreBonus(tx: Tx, topUpId: string, returnedCents: number, now: Date): Promise<void> {
  const { paid, bonus } = await lockTopUpLots(tx, topUpId)
  if (!paid || !bonus || bonus.restore_below_cents === null) return
  if (returnedCents >= bonus.restore_below_cents) return
  await setBonusWithdrawn(tx, bonus.id, null)
  if (bonus.reversed_cents > 0)
    await reverseLot(tx, bonus, 'restored', { reversed: -bonus.reversed_cents, lost: 0 }, now)
  for (const purchase of await selectBonusSetOffs(tx, topUpId))
    await setOffBonus(tx, { paid, bonus }, { ...purchase, cents: -purchase.cents }, now)
}

/** Charges a part of a purchase to a top-up's paid money instead of its bonus; a negative amount does the reverse. */
async function setOffBonus(
  tx: Tx,
  { paid, bonus }: { paid: LotRow; bonus: LotRow },
  purchase: BonusSpending,
  now: Date,
): Promise<void> {
  const { id: order_id, cents } = purchase
  const { user_id, currency } = paid
  const entry = { id: newId('bal'), user_id, order_id, kind: 'bonus_set_off' as const, currency, at: now }
  await insertEntry(tx, entry, [
    { lot: bonus, cents },
    { lot: paid, cents: -cents },
  ])
  await reduceDiscount(tx, order_id, cents)
  await enterBonusSetOff(tx, purchase, entry.id, now)
}
