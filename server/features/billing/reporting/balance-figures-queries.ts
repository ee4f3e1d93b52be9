import { sql } from 'kysely'
import type { BalanceDay } from '#contract/studio/top-ups.ts'
import type { DaySpan } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'

/** Returns the total of all balances, by currency. The index `balance_lots_remaining` covers the query. */
export async function selectLiability(
  db: Db,
): Promise<{ currency: string; paid_cents: number; bonus_cents: number }[]> {
  const { rows } = await sql<{ currency: string; paid_cents: number; bonus_cents: number }>`
    SELECT currency, coalesce(sum(remaining_cents) FILTER (WHERE kind = 'paid'), 0)::float8 AS paid_cents,
      coalesce(sum(remaining_cents) FILTER (WHERE kind = 'bonus'), 0)::float8 AS bonus_cents
    FROM balance_lots WHERE remaining_cents > 0 GROUP BY currency ORDER BY currency`.execute(db)
  return rows
}

/**
 * Returns, by currency, the unspent paid money of all balances and the deferred revenue in the ledger. The two must be
 * equal. The indexes `ledger_lines_balance` and `balance_lots_remaining` cover the query.
 */
export async function selectDeferredRevenue(
  db: Db,
): Promise<{ currency: string; unspent_cents: number; owed_cents: number }[]> {
  const { rows } = await sql<{ currency: string; unspent_cents: number; owed_cents: number }>`
    SELECT currency, sum(unspent)::float8 AS unspent_cents, sum(owed)::float8 AS owed_cents FROM (
      SELECT currency, sum(remaining_cents) AS unspent, 0 AS owed FROM balance_lots
        WHERE remaining_cents > 0 AND kind = 'paid' GROUP BY currency
      UNION ALL
      SELECT currency, 0, -sum(amount_cents) FROM ledger_lines WHERE account = 'deferred_revenue' GROUP BY currency
    ) AS sums GROUP BY currency ORDER BY currency`.execute(db)
  return rows
}

const sumOf = (condition: string) =>
  sql`coalesce(sum(amount_cents) FILTER (WHERE ${sql.raw(condition)}), 0)::float8`

/**
 * Sums the ledger lines of balances by UTC day and currency, latest first. The index `ledger_lines_balance` covers the
 * query.
 */
export async function selectBalanceDays(db: Db, { from, to }: DaySpan): Promise<BalanceDay[]> {
  const { rows } = await sql<BalanceDay>`
    SELECT (at AT TIME ZONE 'UTC')::date::text AS day, currency,
      -${sumOf("account = 'deferred_revenue' AND transaction_id LIKE 'charge:%' AND amount_cents < 0")} AS topped_up_cents,
      ${sumOf("account = 'deferred_revenue' AND transaction_id LIKE 'balance:%'")} +
        ${sumOf("account = 'breakage'")} AS top_ups_returned_cents,
      ${sumOf("account = 'deferred_revenue' AND transaction_id LIKE 'charge:%' AND amount_cents > 0")} +
        ${sumOf("account = 'deferred_revenue' AND (transaction_id LIKE 'refund:%' OR transaction_id LIKE 'set_off:%')")} AS recognised_cents,
      ${sumOf("account = 'bonus_discount'")} AS discount_cents,
      -${sumOf("account = 'breakage'")} AS breakage_cents,
      ${sumOf("account = 'balance_loss'")} AS loss_cents
    FROM ledger_lines
    WHERE account IN ('deferred_revenue', 'bonus_discount', 'breakage', 'balance_loss') AND at >= ${from} AND at < ${to}
    GROUP BY 1, currency ORDER BY 1 DESC, currency`.execute(db)
  return rows
}
