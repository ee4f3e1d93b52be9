import { sql } from 'kysely'
import { expect } from 'vitest'
import type { GatewayId } from '#contract/billing.ts'
import type { Payment, PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import type { Db } from '#server/tables.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

/** The fields of a payment that determine how much of its money is at the gateway. */
export type PaymentMoney = Pick<
  Payment,
  'status' | 'amountCents' | 'refundedCents' | 'dispute' | 'disputedCents'
>

interface BalanceComparison {
  /** Money at the gateway according to the site's ledger, in cents. */
  ledgerCents: number
  /** Money at the gateway according to the gateway, in cents: payments minus refunds and open or lost disputes. */
  gatewayCents: number
}

/** Checks that the lines of every ledger transaction add up to zero. */
export async function expectTransactionsBalanced(db: Db): Promise<void> {
  const unbalancedTransactions =
    await sql`SELECT transaction_id FROM ledger_lines GROUP BY transaction_id HAVING sum(amount_cents) <> 0`.execute(
      db,
    )
  expect(unbalancedTransactions.rows).toEqual([])
}

/**
 * Compares the site's ledger with the sandbox's records. Checks that the lines of every ledger transaction add up to
 * zero.
 */
export async function compareSandboxBalance(db: Db): Promise<BalanceComparison> {
  await expectTransactionsBalanced(db)
  const { rows } = await sql<BalanceComparison>`SELECT
    (SELECT coalesce(sum(amount_cents), 0)::int FROM ledger_lines WHERE account = 'gateway:sandbox') AS "ledgerCents",
    ((SELECT coalesce(sum(amount_cents), 0) FROM sandbox_payments WHERE status = 'succeeded')
      - (SELECT coalesce(sum(amount_cents), 0) FROM sandbox_refunds WHERE failed_at IS NULL)
      - (SELECT coalesce(sum(amount_cents), 0) FROM sandbox_disputes WHERE status IN ('open', 'lost')))::int AS "gatewayCents"`.execute(
    db,
  )
  return rows[0] ?? { ledgerCents: NaN, gatewayCents: NaN }
}

/** Compares the site's ledger with the payments that a gateway lists. */
export async function compareGatewayBalance(db: Db, gateway: PaymentGateway): Promise<BalanceComparison> {
  return compareBalances(db, gateway.id, await listAllPayments(gateway))
}

/** Compares the site's ledger with these payments of a gateway. */
export async function compareBalances(
  db: Db,
  gateway: GatewayId,
  payments: readonly Payment[],
): Promise<BalanceComparison> {
  const { rows } = await sql<{ ledgerCents: number }>`
    SELECT coalesce(sum(amount_cents), 0)::int AS "ledgerCents" FROM ledger_lines WHERE account = ${`gateway:${gateway}`}`.execute(
    db,
  )
  return { ledgerCents: rows[0]?.ledgerCents ?? NaN, gatewayCents: netPaidCents(payments) }
}

/** Returns the money of these payments that is at the gateway, in cents, without refunds and open or lost disputes. */
export function netPaidCents(payments: readonly PaymentMoney[]): number {
  return payments
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, payment) => {
      const { amountCents, refundedCents, disputedCents = amountCents } = payment
      return sum + amountCents - refundedCents - (isDisputeOpenOrLost(payment) ? disputedCents : 0)
    }, 0)
}
