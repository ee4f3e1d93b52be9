import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

/** What was paid for by those who came by one token last, in one currency. */
export interface TokenSales {
  currency: string
  paid: number
  gross_cents: number
  refunded_cents: number
}

/** Sums up the orders of these referrer tokens. `orders_referrer_token` holds all that is read. */
export async function loadTokenSales(db: Db, tokens: readonly string[]): Promise<Map<string, TokenSales[]>> {
  const { rows } = await sql<Record<keyof TokenSales | 'token', string>>`
    SELECT referrer_token AS token, currency, count(*) AS paid,
      sum(amount_cents) AS gross_cents, sum(refunded_cents) AS refunded_cents
    FROM orders WHERE referrer_token = ANY (${tokens}::text[]) AND paid_at IS NOT NULL
    GROUP BY referrer_token, currency ORDER BY currency`.execute(db)
  const sales = rows.map(({ token, currency, ...sums }) => ({
    token,
    currency,
    paid: Number(sums.paid),
    gross_cents: Number(sums.gross_cents),
    refunded_cents: Number(sums.refunded_cents),
  }))
  return new Map(
    [...Map.groupBy(sales, ({ token }) => token)].map(([token, all]) => [
      token,
      all.map(({ token: _token, ...sums }) => sums),
    ]),
  )
}
