import { dayMs, hourMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { lockOwner } from '#server/features/billing/records/order-queries.ts'
import { scheduleRefund, sendPendingRefunds } from './send-pending-refunds.ts'
import { syncRefundsAndDisputes } from './sync-refunds-and-disputes.ts'
import { selectUnreturned, selectUnreturnedOf, type UnreturnedRow } from './unreturned-queries.ts'

/** Delays before the retries of a failed refund; after the last one an operator must resolve it. */
const triedAfterMs = [hourMs, dayMs, 3 * dayMs, 7 * dayMs]

/** Maximum number of automatic refund attempts for a payment that bought nothing. */
export const mostReturns = triedAfterMs.length + 1

/** Distinguishes the next refund from the last one, whose key the gateway would answer as it did before. */
export const nextTry = ({ failed }: UnreturnedRow) => ['try', failed + 1] as const

/** Retries failed refunds of payments that bought nothing. One that fails again does not block the others. */
export async function returnAgain(context: BillingContext): Promise<void> {
  for (const row of await selectUnreturned(context.db)) {
    if (!isDue(row, context.clock.now())) continue
    await sendReturn(context, row).catch((error: unknown) =>
      context.log.error(
        { err: error, attempt: row.attempt_id },
        'a payment that bought nothing could not be refunded',
      ),
    )
  }
}

function isDue({ failed, failed_at }: UnreturnedRow, now: Date): boolean {
  if (failed === 0 || failed_at === null) return true
  const wait = triedAfterMs[failed - 1]
  return wait !== undefined && failed_at.getTime() + wait <= now.getTime()
}

/** Refunds an order's payments that bought nothing now, however often that has failed. @returns whether nothing is left */
export async function returnOrder(context: BillingContext, orderId: string): Promise<boolean> {
  for (const row of await selectUnreturnedOf(context.db, orderId)) await sendReturn(context, row)
  return (await selectUnreturnedOf(context.db, orderId)).length === 0
}

async function sendReturn(context: BillingContext, { attempt_id, order_id }: UnreturnedRow): Promise<void> {
  const { db, clock, gateways, log } = context
  // It may have been refunded at the gateway.
  if (!(await syncRefundsAndDisputes(context, attempt_id))) return
  await inTransaction(db, async (tx) => {
    await lockOwner(tx, order_id)
    const row = (await selectUnreturnedOf(tx, order_id)).find((one) => one.attempt_id === attempt_id)
    if (!row || !gateways.some(({ id }) => id === row.gateway)) return
    const { cents, failed, reason } = row
    log.warn({ attempt: attempt_id, failed }, 'a payment that bought nothing is refunded again')
    await scheduleRefund(tx, {
      attemptId: attempt_id,
      keyParts: nextTry(row),
      cents,
      reason: reason ?? 'too_late',
      now: clock.now(),
    })
  })
  await sendPendingRefunds(context, attempt_id)
}
