import type { ColumnType, Generated } from 'kysely'
import type { balanceEntryKinds } from '#contract/balance.ts'

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>

export type BalanceEntryKind = (typeof balanceEntryKinds)[number]

export interface TopUpProductsTable {
  id: string
  price_cents: number
  bonus_cents: Generated<number>
  /** How long its bonus lasts from when it is paid; null for ever. */
  bonus_days: Optional<number>
  currency: string
  position: Generated<number>
  retired_at: Optional<Date>
}

/** The money of one top-up that a person has, or its bonus. */
export interface BalanceLotsTable {
  id: string
  user_id: string
  /** The top-up. */
  order_id: string
  kind: 'paid' | 'bonus'
  currency: string
  amount_cents: number
  left_cents: number
  /** What refunds and disputes of the top-up took out of it. */
  taken_cents: Generated<number>
  /** What they took beyond that: it is spent, and a loss. */
  lost_cents: Generated<number>
  /** Of bonus: how much of the top-up was gone when the bonus went with it (`closeBonus`). */
  closed_at_cents: Optional<number>
  expires_at: Optional<Date>
  created_at: Date
}

/** A change of a balance. */
interface BalanceEntriesTable {
  id: string
  user_id: string
  /** The top-up or the purchase that it is about. */
  order_id: string
  kind: BalanceEntryKind
  currency: string
  /** Positive for money in. */
  paid_cents: number
  bonus_cents: number
  at: Date
}

/** What an entry put into a lot or took from it. */
interface BalanceLinesTable {
  entry_id: string
  lot_id: string
  cents: number
}

/** What a person agreed to, with immediate delivery. */
export interface AutoUnlocksTable {
  user_id: string
  video_id: string
  /** How many episodes within 24 hours at most, and what one may cost at most. */
  daily_limit: number
  agreed_cents: number
  currency: string
  /** Of the text in `shown_terms`. */
  shown_hash: string
  created_at: Date
}

export interface BalanceTables {
  top_up_products: TopUpProductsTable
  balance_lots: BalanceLotsTable
  balance_entries: BalanceEntriesTable
  balance_lines: BalanceLinesTable
  auto_unlocks: AutoUnlocksTable
}
