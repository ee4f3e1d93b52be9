import { sql } from 'kysely'
import { expect } from 'vitest'
import type { GatewayId } from '#contract/billing.ts'
import type { Payment, PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import type { Db } from '#server/tables.ts'

interface BalanceComparison {
  /** The gateway's holdings according to the site, in cents. */
  ours: number
  /** The gateway's actual holdings: received, less refunds and lost disputes, in cents. */
  theirs: number
}

/** Checks that every ledger transaction adds up to zero. */
export async function expectTransactionsBalanced(db: Db): Promise<void> {
  const unbalancedTransactions =
    await sql`SELECT transaction_id FROM ledger_lines GROUP BY transaction_id HAVING sum(amount_cents) <> 0`.execute(
      db,
    )
  expect(unbalancedTransactions.rows).toEqual([])
}

/** Compares the site's ledger with the sandbox's records; every ledger transaction must add up to zero. */
export async function compareSandboxBalance(db: Db): Promise<BalanceComparison> {
  await expectTransactionsBalanced(db)
  const { rows } = await sql<BalanceComparison>`SELECT
    (SELECT coalesce(sum(amount_cents), 0)::int FROM ledger_lines WHERE account = 'gateway:sandbox') AS ours,
    ((SELECT coalesce(sum(amount_cents), 0) FROM sandbox_payments WHERE status = 'succeeded')
      - (SELECT coalesce(sum(amount_cents), 0) FROM sandbox_refunds WHERE failed_at IS NULL)
      - (SELECT coalesce(sum(amount_cents), 0) FROM sandbox_disputes WHERE status IN ('open', 'lost')))::int AS theirs`.execute(
    db,
  )
  return rows[0] ?? { ours: NaN, theirs: NaN }
}

/** Compares the site's ledger with the payments that a gateway lists. */
export async function compareGatewayBalance(db: Db, gateway: PaymentGateway): Promise<BalanceComparison> {
  return compareBalances(db, gateway.id, await gateway.listPayments(new Date(0)))
}

/** Compares the site's ledger with the given payments of a gateway. */
export async function compareBalances(
  db: Db,
  gateway: GatewayId,
  payments: readonly Payment[],
): Promise<BalanceComparison> {
  const { rows } = await sql<{ ours: number }>`
    SELECT coalesce(sum(amount_cents), 0)::int AS ours FROM ledger_lines WHERE account = ${`gateway:${gateway}`}`.execute(
    db,
  )
  return { ours: rows[0]?.ours ?? NaN, theirs: netPaidCents(payments) }
}

/** Returns the gateway's holdings from these payments: received, less refunds and disputes. */
export function netPaidCents(payments: readonly Payment[]): number {
  return payments
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, payment) => {
      const { amountCents, refundedCents, disputedCents = amountCents } = payment
      return sum + amountCents - refundedCents - (isDisputeOpenOrLost(payment) ? disputedCents : 0)
    }, 0)
}
