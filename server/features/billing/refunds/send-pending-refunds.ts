import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { insertRefund, selectRefunds } from '#server/features/billing/records/refund-queries.ts'
import { sendRefund } from './send-refund.ts'

interface Return {
  attemptId: string
  /** The same key notes one return. */
  key: string
  cents: number
  reason: string
  now: Date
}

/** Notes that money which paid for nothing has to go back. It is sent by `sendPendingRefunds` or by the janitor. */
export function scheduleRefund(tx: Tx, { attemptId, key, cents, reason, now }: Return): Promise<void> {
  return insertRefund(tx, {
    id: newId('ref'),
    attempt_id: attemptId,
    idempotency_key: key,
    amount_cents: cents,
    reason,
    status: 'started',
    check_at: nextPoll(0, now),
    created_at: now,
  })
}

/** Sends back what an attempt brought in for nothing, as was noted before. What fails is tried again by the janitor. */
export async function sendPendingRefunds(context: BillingContext, attemptId: string): Promise<void> {
  for (const refund of await selectRefunds(context.db, attemptId)) {
    if (refund.status === 'started') await sendRefund(context, refund)
  }
}
