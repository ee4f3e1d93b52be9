import { dayMs } from '#server/platform/clock.ts'
import { runInBatches } from '#server/platform/database/run-in-batches.ts'
import { readPages } from '#server/platform/database/read-pages.ts'
import type { AdClickIds } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  deleteAttribution,
  deleteClickIds,
  moveAttribution,
  selectAttribution,
} from './attribution-queries.ts'
import {
  anyDueConversions,
  deleteConversions,
  deleteOldConversions,
  moveConversions,
  readConversions,
  lockConversionSending,
} from './conversions/conversion-queries.ts'
import {
  anyShares,
  deleteShares,
  aggregateShareBatch,
  anonymizeEvents,
  moveEvents,
  selectUserEvents,
  trimEvents,
} from './event-queries.ts'
import { archiveEvents, archiveMonth, type ArchiveContext } from './archive/archive-events.ts'
import { dropEventPartitions, createUpcomingEventPartitions } from './event-partitions.ts'
import { recordTouch, type AttributionContext } from './attribution.ts'
import { sendConversions, type SendContext } from './conversions/send-conversions.ts'
import type { WriteEventsContext } from './write-events.ts'

export { queryArchive, type ArchiveQuery } from './archive/query-archive.ts'
export { bufferEvents } from './buffer-events.ts'
export { countPlays } from './funnel-steps.ts'
export { anySteps, hasUncountedSteps, countStepEvents, dequeueFunnelSteps } from './funnel-step-queries.ts'
export {
  queueConversion,
  queueRegistrationConversion,
  type ConversionContext,
} from './conversions/queue-conversion.ts'
export {
  attributionForOrder,
  attributionForToken,
  recordTouch,
  type AttributionContext,
} from './attribution.ts'
export type { OrderAttribution } from './tables.ts'
export { putTrackingSetting, selectTrackingSettings } from './settings-queries.ts'
export { isPixelId, loadTrackingSettings } from './settings.ts'
export {
  isSenderKnown,
  prepareEvents,
  trimUser,
  writeEvents,
  type WriteEventsContext,
} from './write-events.ts'

/** Retention of shares. A share is deduplicated within half an hour, so its row can be deleted after a day. */
const shareRetentionMs = dayMs
/**
 * Retention of reported conversions. It is longer than the time for which the platforms deduplicate events (Meta: seven
 * days).
 */
const conversionRetentionMs = 30 * dayMs
const batchSize = 5000

type TrackingJobsContext = SendContext & ArchiveContext

/** The dependencies for the retention of events. */
type EventsContext = Pick<SendContext, 'clock' | 'tracking'>

/** Returns the scheduled jobs of tracking: count shares, send conversions, archive events and delete old data. */
export function trackingJobs(context: TrackingJobsContext) {
  return [
    {
      name: 'aggregate-shares',
      everySeconds: 10,
      dueWhen: anyShares,
      run: () => aggregateShares(context.db),
    },
    {
      name: 'send-conversions',
      everySeconds: 10,
      dueWhen: anyDueConversions,
      run: (signal: AbortSignal) => sendConversions(context, signal),
    },
    {
      name: 'purge-events',
      everySeconds: 3600,
      run: (signal: AbortSignal) => purgeEvents(context, signal),
    },
  ]
}

/** Counts all new shares, in batches. */
export function aggregateShares(db: Db): Promise<void> {
  return runInBatches(db, aggregateShareBatch, { limit: batchSize })
}

/** Returns the time before which events have expired. Their partition is dropped after its whole month has expired. */
function eventRetentionStart({ clock, tracking }: EventsContext): Date {
  return new Date(clock.now().getTime() - tracking.eventRetentionDays * dayMs)
}

/**
 * Deletes expired shares and conversions, creates the partitions of the next months, archives past days of events, and
 * drops expired events. The same job archives and drops, so that no events are dropped while they are archived.
 */
export async function purgeEvents(context: TrackingJobsContext, signal: AbortSignal): Promise<void> {
  const { db, clock, log, tracking } = context
  const before = (ms: number) => new Date(clock.now().getTime() - ms)
  await createUpcomingEventPartitions(db, clock.now())
  await deleteShares(db, before(shareRetentionMs), { signal })
  await deleteOldConversions(db, before(conversionRetentionMs), { signal })
  // These steps are the last, because they fail while the storage of the archive is unreachable.
  if (tracking.archivesEvents) await archiveEvents(context, signal)
  const archive = tracking.archivesEvents
    ? (partition: string) => archiveMonth(context, partition)
    : undefined
  const remainingPartitions = await dropEventPartitions(db, eventRetentionStart(context), archive)
  if (remainingPartitions.length > 0)
    log.info({ partitions: remainingPartitions }, 'Expired event partitions in use will be dropped later')
}

/**
 * Merges a guest into a member at sign-in: moves touches, events and conversions. The orders have already been moved.
 * The member's answer about marketing applies, or the guest's if the member has not answered. Without consent, deletes
 * the click ids.
 */
export async function mergeTracking(
  context: AttributionContext & Pick<WriteEventsContext, 'resourceLimits'>,
  tx: Tx,
  guestId: string,
  memberId: string,
): Promise<void> {
  await lockConversionSending(tx, guestId)
  const consents = await context.loadConsents(tx, [guestId, memberId])
  await moveAttribution(tx, guestId, memberId)
  await moveEvents(tx, guestId, memberId)
  await trimEvents(tx, memberId, context.resourceLimits.eventBytesPerVisitor)
  await moveConversions(tx, guestId, memberId)
  if (consents.get(memberId) ?? consents.get(guestId)) return
  await withdrawConsent(context, tx, memberId)
}

/**
 * Applies a user's new answer about marketing, which is already stored. After a yes, stores the click ids of the call.
 * After a no, deletes the stored click ids.
 */
export async function changeConsent(
  context: AttributionContext,
  tx: Tx,
  userId: string,
  { marketing, ids }: { marketing: boolean; ids: AdClickIds },
  now: Date,
): Promise<void> {
  if (marketing) await recordTouch(context, tx, userId, ids, now)
  else await withdrawConsent(context, tx, userId)
}

/**
 * Applies the withdrawal of consent to marketing. Deletes the user's click ids (also from orders), anonymizes the
 * events, and deletes the conversions that have not been sent.
 */
export async function withdrawConsent(
  { deleteOrderClickIds }: Pick<AttributionContext, 'deleteOrderClickIds'>,
  tx: Tx,
  userId: string,
): Promise<void> {
  await deleteOrderClickIds(tx, userId)
  await lockConversionSending(tx, userId)
  await deleteClickIds(tx, userId)
  await anonymizeEvents(tx, userId)
  await deleteConversions(tx, userId, 'pending')
}

/** Erases the tracking data of a deleted user. The events remain, without the user. */
export async function eraseTracking(tx: Tx, userId: string): Promise<void> {
  await lockConversionSending(tx, userId)
  await deleteAttribution(tx, userId)
  await anonymizeEvents(tx, userId)
  await deleteConversions(tx, userId, 'all')
}

/** Exports a user's touches, events and conversions. The lists are read page by page. */
export async function exportTracking(db: Db, userId: string): Promise<Record<string, unknown>> {
  const { user_id: _, ...touches } = (await selectAttribution(db, userId)) ?? {}
  return {
    attribution: 'last_at' in touches ? touches : null,
    events: readPages<Awaited<ReturnType<typeof selectUserEvents>>[number]>((after, limit) =>
      selectUserEvents(db, userId, after, limit),
    ),
    conversions: readConversions(db, userId),
  }
}
