import type { ColumnType, Generated } from 'kysely'
import type { balanceEntryKinds } from '#contract/balance.ts'

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>

export type BalanceEntryKind = (typeof balanceEntryKinds)[number]

export interface TopUpProductsTable {
  id: string
  price_cents: number
  bonus_cents: Generated<number>
  /** Days from the payment until the bonus expires; null for never. */
  bonus_days: Optional<number>
  currency: string
  position: Generated<number>
  archived_at: Optional<Date>
}

/** A lot: the paid money or the bonus of one top-up, and how much of it is left. */
export interface BalanceLotsTable {
  id: string
  user_id: string
  /** The order of the top-up. */
  order_id: string
  kind: 'paid' | 'bonus'
  currency: string
  amount_cents: number
  remaining_cents: number
  /** The amount that refunds and disputes of the top-up took from its unspent money. */
  reversed_cents: Generated<number>
  /** The amount that refunds and disputes of the top-up reversed after the user had spent it. */
  lost_cents: Generated<number>
  /** A withdrawn bonus is restored when refunds and disputes total less than this amount (`restoreBonus`). */
  restore_below_cents: Optional<number>
  expires_at: Optional<Date>
  created_at: Date
}

/** A change of a balance. */
interface BalanceEntriesTable {
  id: string
  user_id: string
  /** The order of the top-up or the purchase. */
  order_id: string
  kind: BalanceEntryKind
  currency: string
  /** Positive if the entry increases the balance. */
  paid_cents: number
  bonus_cents: number
  at: Date
}

/** The amount that an entry added to a lot or took from it. */
interface BalanceLinesTable {
  entry_id: string
  lot_id: string
  cents: number
}

/** A user's consent to auto-unlock of a drama, which includes the consent to immediate delivery. */
export interface AutoUnlocksTable {
  user_id: string
  video_id: string
  /** Maximum number of automatic unlocks within 24 hours; `max_price_cents` is the maximum price of an episode. */
  daily_limit: number
  max_price_cents: number
  currency: string
  /** Hash of the text in `accepted_terms`. */
  terms_hash: string
  created_at: Date
}

export interface BalanceTables {
  top_up_products: TopUpProductsTable
  balance_lots: BalanceLotsTable
  balance_entries: BalanceEntriesTable
  balance_lines: BalanceLinesTable
  auto_unlocks: AutoUnlocksTable
}
