import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '#server/tables.ts'

interface Books {
  /** What the site believes the sandbox holds for it, in cents. */
  ours: number
  /** What the sandbox took and has not given back, in cents. */
  theirs: number
}

/** Compares our ledger with the sandbox's books; every transaction of ours must add up to zero. */
export async function balance(db: Db): Promise<Books> {
  const uneven =
    await sql`SELECT transaction_id FROM ledger_lines GROUP BY transaction_id HAVING sum(amount_cents) <> 0`.execute(
      db,
    )
  expect(uneven.rows).toEqual([])
  const { rows } = await sql<Books>`SELECT
    (SELECT coalesce(sum(amount_cents), 0)::int FROM ledger_lines WHERE account = 'gateway:sandbox') AS ours,
    ((SELECT coalesce(sum(amount_cents), 0) FROM sandbox_payments WHERE status = 'succeeded')
      - (SELECT coalesce(sum(amount_cents), 0) FROM sandbox_refunds))::int AS theirs`.execute(db)
  return rows[0] ?? { ours: NaN, theirs: NaN }
}
