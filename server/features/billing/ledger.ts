import type { GatewayId } from '#contract/billing.ts'
import type { Tx } from '#server/tables.ts'
import { hasLedgerTransaction, insertLedgerLines } from './ledger-queries.ts'
import type { AttemptRow } from './attempt-queries.ts'
import type { OrderRow } from './order-queries.ts'

/**
 * The accounts. Positive is debit: `gateway:…` is what a gateway holds for us, `sales:…` what was sold, and `to_return`
 * what came in twice or too late and goes back.
 */
type Account = `gateway:${GatewayId}` | `sales:${OrderRow['kind']}` | 'to_return'

interface Entry {
  transactionId: string
  order: Pick<OrderRow, 'id' | 'currency'>
  debit: Account
  credit: Account
  cents: number
  at: Date
}

async function enter(tx: Tx, { transactionId, order, debit, credit, cents, at }: Entry): Promise<void> {
  const line = { transaction_id: transactionId, order_id: order.id, currency: order.currency, at }
  await insertLedgerLines(tx, [
    { ...line, account: debit, amount_cents: cents },
    { ...line, account: credit, amount_cents: -cents },
  ])
}

/** Money came in for an order and buys what it was for. */
export function enterSale(tx: Tx, order: OrderRow, attempt: AttemptRow, at: Date): Promise<void> {
  const accounts = { debit: `gateway:${attempt.gateway}`, credit: `sales:${order.kind}` } as const
  return enter(tx, {
    transactionId: `charge:${attempt.id}`,
    order,
    ...accounts,
    cents: order.amount_cents,
    at,
  })
}

/** Money came in that buys nothing. Once per attempt: a second time changes nothing. @returns whether it was the first */
export async function enterUnwanted(
  tx: Tx,
  order: OrderRow,
  attempt: AttemptRow,
  at: Date,
): Promise<boolean> {
  const transactionId = `charge:${attempt.id}`
  if (await hasLedgerTransaction(tx, transactionId)) return false
  await enter(tx, {
    transactionId,
    order,
    debit: `gateway:${attempt.gateway}`,
    credit: 'to_return',
    cents: order.amount_cents,
    at,
  })
  return true
}

/** Money that bought nothing went back. */
export function enterReturn(
  tx: Tx,
  order: OrderRow,
  attempt: AttemptRow,
  refundId: string,
  cents: number,
  at: Date,
): Promise<void> {
  return enter(tx, {
    transactionId: `refund:${refundId}`,
    order,
    debit: 'to_return',
    credit: `gateway:${attempt.gateway}`,
    cents,
    at,
  })
}
