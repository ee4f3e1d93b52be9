import type { Balance } from '#contract/top-ups.ts'
import { Refusal } from '#contract/errors.ts'
import { dayMs } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  enterBalanceRefund,
  enterBreakage,
  type PaidAndBonus,
} from '#server/features/billing/ledger/balance-ledger.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import {
  insertLot,
  lockNonEmptyLots,
  lockOpenLots,
  lockSpentLots,
  selectOpenLots,
  type LotRow,
} from './lot-queries.ts'
import { insertEntry, type LotChange } from './entry-queries.ts'
import { selectUnspentTopUps } from './bonus-queries.ts'
import { recoverLoss, removeWithdrawnBonus, type TopUpReversalReason } from './reverse-top-up.ts'
import { planRefund, planSpending, sumByKind } from './spending-order.ts'

// Callers must lock the user (`lockBuyer`) before they call a function that changes a balance.

/** An order that the balance can pay for. */
export type BalancePurchase = OrderRow & { kind: 'episode' | 'video' }

/** Returns whether the balance can pay for an order. It cannot pay for plans, which renew, or for top-ups. */
export const isPayableFromBalance = (order: OrderRow): order is BalancePurchase =>
  order.kind === 'episode' || order.kind === 'video'

/** A user's spendable amounts in one currency. */
export type Spendable = Omit<Balance, 'refundable_cents'>

/** Returns a user's balances by currency. */
export async function loadBalances(db: Db, userId: string, now: Date): Promise<Balance[]> {
  const [lots, topUps] = await Promise.all([selectOpenLots(db, userId, now), selectUnspentTopUps(db, userId)])
  const refundable = (currency: string) =>
    topUps.reduce((sum, one) => sum + (one.currency === currency ? one.refundable_cents : 0), 0)
  return [...Map.groupBy(lots, ({ currency }) => currency)]
    .map(([currency, currencyLots]) => ({
      ...summarizeBalance(currency, currencyLots),
      refundable_cents: refundable(currency),
    }))
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
}

/** Returns a user's spendable amounts in one currency. */
export async function loadBalance(db: Db, userId: string, currency: string, now: Date): Promise<Spendable> {
  const lots = await selectOpenLots(db, userId, now)
  return summarizeBalance(
    currency,
    lots.filter((lot) => lot.currency === currency),
  )
}

function summarizeBalance(currency: string, lots: readonly LotRow[]): Spendable {
  const remainingCents = (kind: LotRow['kind']) =>
    lots.reduce((sum, lot) => sum + (lot.kind === kind ? lot.remaining_cents : 0), 0)
  const nextExpiry = Math.min(...lots.flatMap(({ expires_at }) => expires_at?.getTime() ?? []))
  const expiring = lots.filter(({ expires_at }) => expires_at?.getTime() === nextExpiry)
  return {
    currency,
    available_cents: remainingCents('paid') + remainingCents('bonus'),
    paid_cents: remainingCents('paid'),
    bonus_cents: remainingCents('bonus'),
    ...(expiring.length > 0
      ? {
          bonus_expiring: {
            cents: expiring.reduce((sum, lot) => sum + lot.remaining_cents, 0),
            at: new Date(nextExpiry).toISOString(),
          },
        }
      : {}),
  }
}

/** Credits a paid top-up and its bonus to the user's balance. Idempotent. */
export async function creditTopUp(tx: Tx, order: OrderRow, now: Date): Promise<void> {
  const { id: order_id, user_id, currency, bonus_cents, bonus_days } = order
  const parts = [
    { kind: 'paid' as const, cents: order.amount_cents, expires_at: null },
    {
      kind: 'bonus' as const,
      cents: bonus_cents ?? 0,
      expires_at: bonus_days === null ? null : new Date(now.getTime() + bonus_days * dayMs),
    },
  ].filter(({ cents }) => cents > 0)
  const changes: LotChange[] = []
  for (const { kind, cents, expires_at } of parts) {
    const lot = { id: newId('lot'), kind, user_id, order_id, currency, expires_at, created_at: now }
    // `insertEntry` below adds the amount to `remaining_cents`.
    if (await insertLot(tx, { ...lot, amount_cents: cents, remaining_cents: 0 })) changes.push({ lot, cents })
  }
  if (changes.length > 0)
    await insertEntry(tx, { id: newId('bal'), user_id, order_id, kind: 'top_up', currency, at: now }, changes)
}

/**
 * Takes the price of a purchase from the buyer's balance: bonus before paid money, earliest expiry first.
 * @throws Refusal balanceTooLow with the missing amount
 */
export async function debitPurchase(tx: Tx, order: BalancePurchase, now: Date): Promise<PaidAndBonus> {
  const { id: order_id, user_id, currency, amount_cents } = order
  const lots = await lockOpenLots(tx, user_id, currency, now)
  const changes = planSpending(lots, amount_cents)
  if (!changes) {
    const available = lots.reduce((sum, { remaining_cents }) => sum + remaining_cents, 0)
    throw new Refusal('balanceTooLow', {
      amount_cents,
      currency,
      available_cents: available,
      missing_cents: amount_cents - available,
    })
  }
  await insertEntry(tx, { id: newId('bal'), user_id, order_id, kind: 'purchase', currency, at: now }, changes)
  return { paid: -sumByKind(changes, 'paid'), bonus: -sumByKind(changes, 'bonus') }
}

/**
 * Credits a refund to the lots that paid for the purchase, paid money first, and writes its ledger entry. If a top-up
 * has a loss, the credited money then reduces that loss. If the bonus of a top-up was withdrawn, the bonus that the
 * refund credits is removed again.
 */
export async function refundToBalance(
  tx: Tx,
  order: BalancePurchase,
  refund: { id: string; cents: number },
  now: Date,
  reversalReason: TopUpReversalReason = 'top_up_refund',
): Promise<void> {
  const { id: order_id, currency } = order
  const changes = planRefund(await lockSpentLots(tx, order_id), refund.cents)
  // A claimed purchase may belong to a different user than the one whose balance paid for it.
  const user_id = changes[0]?.lot.user_id ?? order.user_id
  await insertEntry(tx, { id: newId('bal'), user_id, order_id, kind: 'refund', currency, at: now }, changes)
  const split = { paid: sumByKind(changes, 'paid'), bonus: sumByKind(changes, 'bonus') }
  await enterBalanceRefund(tx, order, refund, split, now)
  for (const topUpId of new Set(changes.map(({ lot }) => lot.order_id))) {
    await recoverLoss(tx, topUpId, reversalReason, now)
    await removeWithdrawnBonus(tx, topUpId, reversalReason, now)
  }
}

/** Removes expired bonus from balances. Bonus has no monetary value, so the ledger does not contain it. */
export async function expireLots(tx: Tx, lots: readonly LotRow[], now: Date): Promise<void> {
  for (const lot of lots) {
    const { user_id, order_id, currency } = lot
    const entry = { id: newId('bal'), user_id, order_id, kind: 'bonus_expired' as const, currency, at: now }
    await insertEntry(tx, entry, [{ lot, cents: -lot.remaining_cents }])
  }
}

/**
 * Empties the balance of a user who deletes their account; unspent paid money becomes breakage.
 * @returns the forfeited paid money, by currency
 */
export async function forfeitBalance(tx: Tx, userId: string, now: Date): Promise<Record<string, number>> {
  const forfeited: Record<string, number> = {}
  for (const lot of await lockNonEmptyLots(tx, userId)) {
    const { user_id, order_id, currency, remaining_cents } = lot
    const entry = { id: newId('bal'), user_id, order_id, kind: 'forfeited' as const, currency, at: now }
    await insertEntry(tx, entry, [{ lot, cents: -remaining_cents }])
    if (lot.kind !== 'paid') continue
    await enterBreakage(tx, { id: order_id, currency }, entry.id, remaining_cents, now)
    forfeited[currency] = (forfeited[currency] ?? 0) + remaining_cents
  }
  return forfeited
}
