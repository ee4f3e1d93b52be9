import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '#server/tables.ts'

/**
 * Checks the invariants of balances. Each lot and each entry is the sum of its lines. The ledger's deferred revenue
 * equals the unspent paid money. The account `top_up_reversals` contains only the money of top-up refunds in progress.
 */
export async function expectBalancesConsistent(db: Db): Promise<void> {
  const lots = await sql`
    SELECT id FROM balance_lots
    WHERE remaining_cents <> (SELECT coalesce(sum(cents), 0) FROM balance_lines WHERE lot_id = balance_lots.id)
      OR remaining_cents < 0`.execute(db)
  expect(lots.rows).toEqual([])
  const entries = await sql`
    SELECT balance_entries.id FROM balance_entries JOIN balance_lines ON entry_id = balance_entries.id
    GROUP BY balance_entries.id HAVING sum(cents) <> paid_cents + bonus_cents`.execute(db)
  expect(entries.rows).toEqual([])
  const { rows } = await sql<{ owed: number; unspent: number; open: number; sending: number }>`SELECT
    (SELECT coalesce(-sum(amount_cents), 0)::int FROM ledger_lines WHERE account = 'deferred_revenue') AS owed,
    (SELECT coalesce(sum(remaining_cents), 0)::int FROM balance_lots WHERE kind = 'paid') AS unspent,
    (SELECT coalesce(-sum(amount_cents), 0)::int FROM ledger_lines WHERE account = 'top_up_reversals') AS open,
    (SELECT coalesce(sum(refunds.amount_cents), 0)::int FROM refunds JOIN payment_attempts ON payment_attempts.id = attempt_id
      JOIN orders ON orders.id = payment_attempts.order_id
      WHERE refunds.status = 'started' AND orders.kind = 'top_up' AND orders.status NOT IN ('cancelled', 'expired')) AS sending`.execute(
    db,
  )
  expect(rows[0]?.owed).toBe(rows[0]?.unspent)
  expect(rows[0]?.open).toBe(rows[0]?.sending)
}
