import { dayMs } from '#server/platform/clock.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { deleteAppliedWebhookEvents } from '#server/features/billing/records/webhook-event-queries.ts'

const retentionMs = 180 * dayMs
const batch = 1000

/**
 * Deletes webhook events that were applied long ago. A gateway does not send them again after so long, and applying one
 * twice changes nothing. Events that were never applied remain, because operators see them as discrepancies.
 */
export async function purgeWebhookEvents({ db, clock }: Pick<BillingContext, 'db' | 'clock'>): Promise<void> {
  const appliedBefore = new Date(clock.now().getTime() - retentionMs)
  while ((await deleteAppliedWebhookEvents(db, appliedBefore, batch)) === batch);
}
