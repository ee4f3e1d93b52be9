import { createHmac, randomUUID } from 'node:crypto'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { networkOf } from '#server/platform/http/limits/client-network.ts'
import type { ResourceLimits } from '#server/platform/config/read-resource-limits.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import { withEventPartitions } from './event-partitions.ts'
import type { Consents, LoadConsents, LockConsents } from './consent.ts'
import { toFunnelSteps } from './funnel-steps.ts'
import {
  estimateEventBytes,
  insertEvents,
  insertShares,
  trimEvents,
  type EventRow,
  type ShareRow,
} from './event-queries.ts'
import type { AnalyticsEvent } from './parse-beacon.ts'

/** The sender of an event; null if anonymous. `tooManyRequests`: the event exceeds a rate limit and is dropped. */
export type Sender = Pick<Viewer, 'userId'> | null | 'tooManyRequests'

/** An event as it was received. The lookup of the sender may continue after the pixel has been returned. */
export interface ReceivedEvent extends AnalyticsEvent {
  id: string
  at: Date
  ip: string
  /** The sender, or a promise while the sender is being looked up. */
  sender: Sender | Promise<Sender>
}

const halfHourMs = 30 * 60_000

/** Adds the time, the sender and a new id to a received event. `sender` must never reject. */
export function receiveEvent(
  event: AnalyticsEvent,
  at: Date,
  ip: string,
  sender: ReceivedEvent['sender'],
): ReceivedEvent {
  const received: ReceivedEvent = { ...event, id: randomUUID(), at, ip, sender }
  if (sender instanceof Promise) void sender.then((found) => (received.sender = found))
  return received
}

/** Returns whether an event can be written without waiting for the lookup of its sender. */
export const isSenderKnown = ({ sender }: ReceivedEvent) => !(sender instanceof Promise)

export interface WriteEventsContext {
  db: Db
  secret: string
  loadConsents: LoadConsents
  lockConsents: LockConsents
  resourceLimits: Pick<ResourceLimits, 'eventBytesPerVisitor'>
}

/** A user's events are trimmed, on average, each time this fraction of their maximum size has been written. */
const trimFraction = 1 / 20

/**
 * Writes prepared events in a transaction.
 * @returns the users whose events are to be trimmed after the commit
 */
export type WritePrepared = (tx: Tx) => Promise<readonly string[]>

/**
 * Prepares a batch of events with their shares and funnel steps for a transaction. The senders are looked up before the
 * transaction begins. The user and click ids of an event are stored only with the user's consent. The transaction fails
 * if an event already exists, unless `mayExist` is set.
 */
export async function prepareEvents(
  context: WriteEventsContext,
  batch: readonly ReceivedEvent[],
  { mayExist } = { mayExist: false },
): Promise<WritePrepared> {
  const events = await resolveSenders(batch)
  return async (tx) => {
    const rows = await insertBatch(context, tx, { events, mayExist })
    return pickUsersToTrim(rows, context.resourceLimits.eventBytesPerVisitor * trimFraction)
  }
}

/**
 * Writes a batch of events in its own transaction. Creates missing partitions. Idempotent.
 * @returns the users whose events are to be trimmed
 */
export async function writeEvents(
  context: WriteEventsContext,
  batch: readonly ReceivedEvent[],
): Promise<readonly string[]> {
  const write = await prepareEvents(context, batch, { mayExist: true })
  const times = batch.map(({ at }) => at)
  return withEventPartitions(context.db, times, () => inTransaction(context.db, write))
}

/** Deletes a user's oldest events beyond the maximum size. */
export async function trimUser({ db, resourceLimits }: WriteEventsContext, userId: string): Promise<void> {
  await trimEvents(db, userId, resourceLimits.eventBytesPerVisitor)
}

async function insertBatch(
  { secret, loadConsents, lockConsents }: WriteEventsContext,
  tx: Tx,
  { events, mayExist }: { events: readonly IdentifiedEvent[]; mayExist: boolean },
): Promise<EventRow[]> {
  const consentingUserIds = await lockConsents(tx, sendersOf(events))
  const eventRows = events.map((event) => eventRow(event, consentingUserIds))
  await insertEvents(
    tx,
    eventRows,
    events.flatMap((event) => toFunnelSteps(event).map((step) => ({ id: event.id, ...step }))),
    { mayExist },
  )
  const shareEvents = events.filter(({ name }) => name === 'share')
  if (shareEvents.length === 0) return eventRows
  const consents = await loadConsents(tx, sendersOf(shareEvents))
  const shares = shareEvents.flatMap((event) => shareRow(secret, event, consents))
  if (shares.length > 0) await insertShares(tx, shares)
  return eventRows
}

/**
 * Returns the users whose events are trimmed now. Chooses them at random, with a probability that grows with the
 * written bytes, so that the bytes of each user need not be counted.
 */
function pickUsersToTrim(rows: readonly EventRow[], trimBytes: number): string[] {
  const bytes = new Map<string, number>()
  for (const row of rows)
    if (row.user_id !== null) bytes.set(row.user_id, (bytes.get(row.user_id) ?? 0) + estimateEventBytes(row))
  return [...bytes].filter(([, written]) => written > Math.random() * trimBytes).map(([userId]) => userId)
}

type IdentifiedEvent = ReceivedEvent & { userId: string | undefined }

async function resolveSenders(batch: readonly ReceivedEvent[]): Promise<IdentifiedEvent[]> {
  const identifiedEvents: IdentifiedEvent[] = []
  for (const event of batch) {
    // Awaits only senders that are still being looked up. The sender of most events is known, and a thousand awaits
    // would take time.
    const sender = event.sender instanceof Promise ? await event.sender : event.sender
    if (sender !== 'tooManyRequests') identifiedEvents.push({ ...event, userId: sender?.userId })
  }
  return identifiedEvents
}

function sendersOf(events: readonly IdentifiedEvent[]): string[] {
  return [...new Set(events.map(({ userId }) => userId).filter((id) => id !== undefined))]
}

function eventRow(
  { at, id, name, fields, fbclid, ttclid, userId }: IdentifiedEvent,
  consentingUserIds: ReadonlySet<string>,
): EventRow {
  const storedUserId = userId !== undefined && consentingUserIds.has(userId) ? userId : null
  return {
    at,
    id,
    name,
    fields,
    user_id: storedUserId,
    fbclid: storedUserId === null ? null : (fbclid ?? null),
    ttclid: storedUserId === null ? null : (ttclid ?? null),
  }
}

/**
 * Builds the row of a share, which counts once per viewer, video and half hour. Viewers without a row count once per
 * network, because anyone can create any number of guests without a row.
 */
function shareRow(
  secret: string,
  { fields, at, ip, userId }: IdentifiedEvent,
  consents: Consents,
): ShareRow[] {
  const { video_id } = fields
  if (video_id === undefined) return []
  const viewerKey = userId !== undefined && consents.has(userId) ? userId : networkOf(ip)
  const halfHour = Math.floor(at.getTime() / halfHourMs)
  const dedup_key = createHmac('sha256', secret)
    .update(`share|${viewerKey}|${video_id}|${halfHour}`)
    .digest('base64url')
  return [{ dedup_key, video_id, at }]
}
