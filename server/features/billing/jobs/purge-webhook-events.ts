import { dayMs } from '#server/platform/clock.ts'
import type { PurgeOptions } from '#server/platform/database/delete-expired.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { deleteAppliedWebhookEvents } from '#server/features/billing/records/webhook-event-queries.ts'

const retentionMs = 180 * dayMs

/**
 * Deletes webhook events that were applied long ago. A gateway does not send them again after so long, and applying one
 * twice changes nothing. Events that were never applied remain, because operators see them as discrepancies.
 */
export function purgeWebhookEvents(
  { db, clock }: Pick<BillingContext, 'db' | 'clock'>,
  options?: PurgeOptions,
): Promise<void> {
  return deleteAppliedWebhookEvents(db, new Date(clock.now().getTime() - retentionMs), options)
}
