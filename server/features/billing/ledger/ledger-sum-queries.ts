import { sql } from 'kysely'

/** Sums of the ledger in one currency; docs/figures.md defines each. */
export interface LedgerSums {
  currency: string
  gross_cents: number
  refunded_cents: number
  disputed_cents: number
  disputes_won_cents: number
  disputes_lost_cents: number
}

/** Matches the lines that the sums read: sales with their refunds, and disputes. */
export const isSummedLine = sql`(account LIKE 'sales:%' OR account IN ('charged_back', 'dispute_lost'))`

const sumOf = (condition: string) =>
  sql`coalesce(sum(amount_cents) FILTER (WHERE ${sql.raw(condition)}), 0)::float8`

/** Matches sales lines: those of `set_off:` are what a purchase from the balance earns besides its charge. */
const isSale = "(transaction_id LIKE 'charge:%' OR transaction_id LIKE 'set_off:%')"

/**
 * The sums as columns over the lines that match `isSummedLine`. Money that a lost dispute moves out of `charged_back` is not a won
 * dispute.
 */
export const sumColumns = sql`
  -${sumOf(isSale)} AS gross_cents,
  ${sumOf(`account LIKE 'sales:%' AND NOT ${isSale}`)} AS refunded_cents,
  ${sumOf("account = 'charged_back' AND transaction_id LIKE 'dispute:%' AND amount_cents > 0")} AS disputed_cents,
  -${sumOf("account = 'charged_back' AND transaction_id LIKE 'dispute:%' AND amount_cents < 0")} AS disputes_won_cents,
  ${sumOf("account = 'dispute_lost'")} AS disputes_lost_cents`
