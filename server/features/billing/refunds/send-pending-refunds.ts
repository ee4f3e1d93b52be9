import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { insertRefund, refundKey, selectRefunds } from '#server/features/billing/records/refund-queries.ts'
import { sendRefund } from './send-refund.ts'

interface ScheduledRefund {
  attemptId: string
  /** Key parts that distinguish the refund from earlier refunds of the attempt. The first refund needs none. */
  keyParts?: readonly (string | number)[]
  cents: number
  reason: string
  now: Date
}

/** Stores a refund of a payment that bought nothing. `sendPendingRefunds` or the janitor sends it to the gateway. */
export function scheduleRefund(
  tx: Tx,
  { attemptId, keyParts = [], cents, reason, now }: ScheduledRefund,
): Promise<void> {
  return insertRefund(tx, {
    id: newId('ref'),
    attempt_id: attemptId,
    ...refundKey('unwanted_payment', attemptId, ...keyParts),
    amount_cents: cents,
    reason,
    status: 'started',
    next_poll_at: nextPoll(0, now),
    created_at: now,
  })
}

/** Sends the started refunds of an attempt to the gateway. The janitor retries those that fail. */
export async function sendPendingRefunds(context: BillingContext, attemptId: string): Promise<void> {
  for (const refund of await selectRefunds(context.db, attemptId)) {
    if (refund.status === 'started') await sendRefund(context, refund)
  }
}
