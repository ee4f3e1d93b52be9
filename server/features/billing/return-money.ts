import { selectAttempt } from './attempt-queries.ts'
import { askRefund } from './call-gateway.ts'
import type { BillingContext } from './billing-context.ts'
import { enterReturn } from './ledger.ts'
import { selectOrder } from './order-queries.ts'
import { finishRefund, selectRefunds, type RefundRow } from './refund-queries.ts'

/** Sends back what an attempt brought in for nothing, as was noted before. What fails is tried again by the janitor. */
export async function returnMoney(context: BillingContext, attemptId: string): Promise<void> {
  for (const refund of await selectRefunds(context.db, attemptId)) {
    if (refund.status === 'started') await sendRefund(context, refund)
  }
}

/** Asks the gateway for one refund, which its key makes happen once, and enters it in the books. */
export async function sendRefund(context: BillingContext, refund: RefundRow): Promise<void> {
  const { db, clock, log, gateways } = context
  const attempt = await selectAttempt(db, refund.attempt_id)
  const order = attempt && (await selectOrder(db, attempt.order_id))
  const gateway = gateways.find(({ id }) => id === attempt?.gateway)
  if (!attempt?.reference || !order || !gateway)
    return log.error({ refund: refund.id }, 'a refund cannot be sent')
  const { reference } = attempt
  const result = await askRefund(context, gateway, {
    reference,
    amountCents: refund.amount_cents,
    key: refund.idempotency_key,
  })
  if (result === 'unknown') return
  await db.transaction().execute(async (tx) => {
    const done = await finishRefund(tx, refund.id, result === 'done' ? 'succeeded' : 'failed')
    if (done && result === 'done')
      await enterReturn(tx, order, attempt, refund.id, refund.amount_cents, clock.now())
  })
}
