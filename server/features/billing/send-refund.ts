import type { Tx } from '#server/tables.ts'
import { selectAttempt } from './attempt-queries.ts'
import { auditPayment } from './audit-payment.ts'
import type { BillingContext } from './billing-context.ts'
import { askRefund } from './call-gateway.ts'
import { followMoney } from './follow-money.ts'
import { enterRefund, type Returned } from './ledger.ts'
import { sourceOf } from './ledger.ts'
import { lockOwner, selectOrder } from './order-queries.ts'
import { finishRefund, type RefundRow } from './refund-queries.ts'
import { tellRefunded } from './tell-refunded.ts'

/**
 * Asks the gateway for one refund, which its key makes happen once, and in a second transaction enters it in the books and
 * has the order follow. Any number of processes may do it at once.
 * @returns `done`, `refused` (for good), or `unknown`: the janitor asks again
 */
export async function sendRefund(
  context: BillingContext,
  refund: RefundRow,
): Promise<'done' | 'refused' | 'unknown'> {
  const { db, clock, log, gateways } = context
  const attempt = await selectAttempt(db, refund.attempt_id)
  const gateway = gateways.find(({ id }) => id === attempt?.gateway)
  if (!attempt?.reference || !gateway) {
    log.error({ refund: refund.id }, 'a refund cannot be sent')
    return 'unknown'
  }
  const { reference } = attempt
  const result = await askRefund(context, gateway, {
    reference,
    amountCents: refund.amount_cents,
    key: refund.idempotency_key,
  })
  if (result === 'unknown') return result
  await db.transaction().execute(async (tx) => {
    await lockOwner(tx, attempt.order_id)
    if (!(await finishRefund(tx, refund.id, result === 'done' ? 'succeeded' : 'failed'))) return
    const returned = await loadReturned(tx, attempt.id, clock.now())
    if (!returned) throw new Error(`refund ${refund.id} is of money that is not in the books`)
    if (result === 'done') return enterMade(context, tx, returned, refund)
    const { order, at } = returned
    return auditPayment(tx, 'refund_failed', order, at, { refund_cents: refund.amount_cents })
  })
  return result
}

/** An attempt whose money is in the books, for what goes back of it. */
export async function loadReturned(tx: Tx, attemptId: string, at: Date): Promise<Returned | undefined> {
  const attempt = await selectAttempt(tx, attemptId)
  const order = attempt && (await selectOrder(tx, attempt.order_id))
  const source = await sourceOf(tx, attemptId)
  return attempt && order && source && { order, attempt, source, at }
}

/** Enters a refund that was made, of a sale with all that follows from it. */
export async function enterMade(
  context: BillingContext,
  tx: Tx,
  returned: Returned,
  { id, amount_cents: cents, reason }: Pick<RefundRow, 'id' | 'amount_cents' | 'reason'>,
): Promise<void> {
  await enterRefund(tx, returned, { id, cents })
  // What bought nothing was audited as it was noted, and the order has nothing to do with it.
  if (returned.source === 'to_return') return
  await auditPayment(tx, 'order_refunded', returned.order, returned.at, { refund_cents: cents, reason })
  const order = await followMoney(tx, returned)
  await tellRefunded(context, tx, order, cents)
}
