import { sql } from 'kysely'
import { expect } from 'vitest'
import type { GatewayId } from '#contract/billing.ts'
import type { Payment, PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import type { Db } from '#server/tables.ts'

interface Books {
  /** What the site believes the gateway holds for it, in cents. */
  ours: number
  /** What the gateway took and has not given back or lost to a bank, in cents. */
  theirs: number
}

/** Every transaction of our ledger adds up to zero. */
export async function expectEven(db: Db): Promise<void> {
  const uneven =
    await sql`SELECT transaction_id FROM ledger_lines GROUP BY transaction_id HAVING sum(amount_cents) <> 0`.execute(
      db,
    )
  expect(uneven.rows).toEqual([])
}

/** Compares our ledger with the sandbox's books; every transaction of ours must add up to zero. */
export async function balance(db: Db): Promise<Books> {
  await expectEven(db)
  const { rows } = await sql<Books>`SELECT
    (SELECT coalesce(sum(amount_cents), 0)::int FROM ledger_lines WHERE account = 'gateway:sandbox') AS ours,
    ((SELECT coalesce(sum(amount_cents), 0) FROM sandbox_payments WHERE status = 'succeeded')
      - (SELECT coalesce(sum(amount_cents), 0) FROM sandbox_refunds WHERE failed_at IS NULL)
      - (SELECT coalesce(sum(amount_cents), 0) FROM sandbox_disputes WHERE status IN ('open', 'lost')))::int AS theirs`.execute(
    db,
  )
  return rows[0] ?? { ours: NaN, theirs: NaN }
}

/** Compares our ledger with what a gateway lists of itself. */
export async function booksOf(db: Db, gateway: PaymentGateway): Promise<Books> {
  return compareBooks(db, gateway.id, await gateway.listPayments(new Date(0)))
}

/** Compares our ledger with all payments of a gateway, as it has listed them. */
export async function compareBooks(db: Db, gateway: GatewayId, payments: readonly Payment[]): Promise<Books> {
  const { rows } = await sql<{ ours: number }>`
    SELECT coalesce(sum(amount_cents), 0)::int AS ours FROM ledger_lines WHERE account = ${`gateway:${gateway}`}`.execute(
    db,
  )
  return { ours: rows[0]?.ours ?? NaN, theirs: heldOf(payments) }
}

/** What a gateway holds for the site of these payments: what it took, less what it gave back and what banks took. */
export function heldOf(payments: readonly Payment[]): number {
  return payments
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, payment) => {
      const { amountCents, refundedCents, disputedCents = amountCents } = payment
      return sum + amountCents - refundedCents - (isDisputeOpenOrLost(payment) ? disputedCents : 0)
    }, 0)
}
