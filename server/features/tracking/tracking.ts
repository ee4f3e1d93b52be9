import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { readPages } from '#server/platform/database/read-pages.ts'
import type { AdIds } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  deleteAttribution,
  forgetClickIds,
  moveAttribution,
  selectAttribution,
} from './attribution-queries.ts'
import {
  anyDueConversions,
  deleteConversions,
  deleteOldConversions,
  moveConversions,
  readConversions,
  waitForTelling,
} from './conversions/conversion-queries.ts'
import {
  anyShares,
  deleteShares,
  aggregateShareBatch,
  forgetPersonOfEvents,
  moveEvents,
  selectEventsOf,
  trimEvents,
} from './event-queries.ts'
import { dropEventMonths, makeMonthsAhead } from './event-months.ts'
import { recordTouch, type AttributionContext } from './record-touch.ts'
import { sendConversions, type SendContext } from './conversions/send-conversions.ts'
import type { WriteEventsContext } from './write-events.ts'

export { bufferEvents } from './buffer-events.ts'
export { countPlays } from './funnel-steps.ts'
export { anySteps, anyStepsOf, countStepEvents, takeSteps } from './step-queries.ts'
export {
  queueConversion,
  reportRegistration,
  type ConversionContext,
} from './conversions/queue-conversion.ts'
export {
  attributionForOrder,
  attributionOfToken,
  recordTouch,
  type AttributionContext,
} from './record-touch.ts'
export type { OrderAttribution } from './tables.ts'
export { putTrackingSetting, selectTrackingSettings } from './queries.ts'
export { isPixelId, loadTrackingSettings } from './settings.ts'
export { writeEvents, type WriteEventsContext } from './write-events.ts'

/** A share marks its half hour; after a day its row has no use. */
const sharesLastMs = dayMs
/** Sent conversions are stored longer than the platforms deduplicate them (Meta: seven days). */
const conversionsLastMs = 30 * dayMs
const batch = 5000

/** What determines how long events are stored. */
type EventsContext = Pick<SendContext, 'clock' | 'tracking'>

/** The scheduled jobs: aggregate shares, send conversions, and purge old events. */
export function trackingJobs(context: SendContext) {
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
      run: () => sendConversions(context),
    },
    { name: 'purge-events', everySeconds: 3600, run: () => purgeEvents(context) },
  ]
}

/** Adds new shares to the videos' counts, in batches until none is left. */
export async function aggregateShares(db: Db): Promise<void> {
  while ((await inTransaction(db, (tx) => aggregateShareBatch(tx, batch))) === batch);
}

/** Events from before this moment are not shown, and are dropped once all of their month is. */
function eventsSince({ clock, tracking }: EventsContext): Date {
  return new Date(clock.now().getTime() - tracking.eventsDays * dayMs)
}

/** Deletes expired events, shares and conversions, and creates the partitions of the next months. */
export async function purgeEvents(context: SendContext): Promise<void> {
  const { db, clock, log } = context
  const before = (ms: number) => new Date(clock.now().getTime() - ms)
  await makeMonthsAhead(db, clock.now())
  const left = await dropEventMonths(db, eventsSince(context))
  if (left.length > 0) log.info({ partitions: left }, 'Old events are being read and will be dropped later')
  while ((await deleteShares(db, before(sharesLastMs), batch)) === batch);
  await inTransaction(db, (tx) => deleteOldConversions(tx, before(conversionsLastMs)))
}

/**
 * Moves a guest's touches, events and conversions to the member who signed in; the orders have been moved by then. The member's
 * consent to marketing applies, or the guest's if the member has not answered. Without consent the click ids are deleted.
 */
export async function mergeTracking(
  context: AttributionContext & Pick<WriteEventsContext, 'bounds'>,
  tx: Tx,
  guestId: string,
  memberId: string,
): Promise<void> {
  await waitForTelling(tx, guestId)
  const consents = await context.consentsOf(tx, [guestId, memberId])
  await moveAttribution(tx, guestId, memberId)
  await moveEvents(tx, guestId, memberId)
  await trimEvents(tx, memberId, context.bounds.eventBytesOfPerson)
  await moveConversions(tx, guestId, memberId)
  if (consents.get(memberId) ?? consents.get(guestId)) return
  await withdrawConsent(context, tx, memberId)
}

/**
 * Applies an answer about marketing that was stored: a yes stores the click ids of the call, a no deletes the stored ones.
 */
export async function changeConsent(
  context: AttributionContext,
  tx: Tx,
  userId: string,
  { marketing, ids }: { marketing: boolean; ids: AdIds },
  now: Date,
): Promise<void> {
  if (marketing) await recordTouch(context, tx, userId, ids, now)
  else await withdrawConsent(context, tx, userId)
}

/**
 * Applies a withdrawal of consent: deletes click ids, from the orders too, removes the user from events, and cancels conversions
 * that were not sent.
 */
export async function withdrawConsent(
  { forgetClicksOfOrders }: Pick<AttributionContext, 'forgetClicksOfOrders'>,
  tx: Tx,
  userId: string,
): Promise<void> {
  await forgetClicksOfOrders(tx, userId)
  await waitForTelling(tx, userId)
  await forgetClickIds(tx, userId)
  await forgetPersonOfEvents(tx, userId)
  await deleteConversions(tx, userId, 'waiting')
}

/** Deletes a user's attribution and conversions, and removes the user from events. */
export async function eraseTracking(tx: Tx, userId: string): Promise<void> {
  await waitForTelling(tx, userId)
  await deleteAttribution(tx, userId)
  await forgetPersonOfEvents(tx, userId)
  await deleteConversions(tx, userId, 'all')
}

/** A user's attribution, events and conversions, in lists that are read page by page. */
export async function exportTracking(db: Db, userId: string): Promise<Record<string, unknown>> {
  const { user_id: _, ...touches } = (await selectAttribution(db, userId)) ?? {}
  return {
    attribution: 'last_at' in touches ? touches : null,
    events: readPages<Awaited<ReturnType<typeof selectEventsOf>>[number]>((after, limit) =>
      selectEventsOf(db, userId, after, limit),
    ),
    conversions: readConversions(db, userId),
  }
}
