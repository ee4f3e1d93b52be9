import { sql } from 'kysely'

/** Sums of the ledger in one currency. docs/figures.md defines each sum. */
export interface LedgerSums {
  currency: string
  gross_cents: number
  refunded_cents: number
  disputed_cents: number
  disputes_won_cents: number
  disputes_lost_cents: number
}

/** SQL condition for the lines that the sums include: sales, refunds of sales, and disputes. */
export const isSummedLine = sql`(account LIKE 'sales:%' OR account IN ('charged_back', 'dispute_lost'))`

const sumOf = (condition: string) =>
  sql`coalesce(sum(amount_cents) FILTER (WHERE ${sql.raw(condition)}), 0)::float8`

/**
 * SQL condition for sales lines. A `set_off:` line changes the revenue of a purchase whose bonus is replaced by paid
 * money.
 */
const isSale =
  "(account LIKE 'sales:%' AND (transaction_id LIKE 'charge:%' OR transaction_id LIKE 'set_off:%'))"

/**
 * SQL columns that compute the sums from ledger lines. They ignore lines that do not match `isSummedLine`. Won disputes
 * are credits of `charged_back` in `dispute:` transactions. Credits of `charged_back` in `dispute_lost:` transactions
 * are lost disputes, and do not count as won.
 */
export const sumColumns = sql`
  -${sumOf(isSale)} AS gross_cents,
  ${sumOf(`account LIKE 'sales:%' AND NOT ${isSale}`)} AS refunded_cents,
  ${sumOf("account = 'charged_back' AND transaction_id LIKE 'dispute:%' AND amount_cents > 0")} AS disputed_cents,
  -${sumOf("account = 'charged_back' AND transaction_id LIKE 'dispute:%' AND amount_cents < 0")} AS disputes_won_cents,
  ${sumOf("account = 'dispute_lost'")} AS disputes_lost_cents`
