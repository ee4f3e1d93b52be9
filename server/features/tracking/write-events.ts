import { createHmac, randomUUID } from 'node:crypto'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { networkOf } from '#server/platform/http/limits/network-of.ts'
import type { Bounds } from '#server/platform/config/read-bounds.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import { withEventMonths } from './event-months.ts'
import type { Consents, ConsentsOf, HoldAgreements } from './consent.ts'
import { stepOf } from './funnel-steps.ts'
import {
  bytesOf,
  insertEvents,
  insertShares,
  trimEvents,
  type EventRow,
  type ShareRow,
} from './event-queries.ts'
import type { SentEvent } from './read-event.ts'

/** The sender of an event, if known; an event beyond the sender's rate limit is dropped. */
export type Sender = Pick<Viewer, 'userId'> | null | 'tooMany'

/** An event as received. The sender may be known only after the pixel was answered. */
export interface ArrivedEvent extends SentEvent {
  id: string
  at: Date
  ip: string
  sender: Sender | Promise<Sender>
}

const halfHourMs = 30 * 60_000

/** Records an event's arrival. `sender` must never reject. */
export function arrive(event: SentEvent, at: Date, ip: string, sender: ArrivedEvent['sender']): ArrivedEvent {
  return { ...event, id: randomUUID(), at, ip, sender }
}

export interface WriteEventsContext {
  db: Db
  secret: string
  consentsOf: ConsentsOf
  holdAgreements: HoldAgreements
  bounds: Pick<Bounds, 'eventBytesOfPerson'>
}

/** A user's events are trimmed about once per this fraction of their maximum. */
const trimEvery = 1 / 20

/**
 * Writes a batch with its shares and funnel steps in one transaction; it is idempotent. An event stores a user and click ids only
 * with that user's consent.
 */
export async function writeEvents(
  { db, secret, consentsOf, holdAgreements, bounds }: WriteEventsContext,
  batch: readonly ArrivedEvent[],
): Promise<void> {
  const sent = await withSenders(batch)
  const write = async (tx: Tx) => {
    const agreed = await holdAgreements(tx, sendersOf(sent))
    const written = sent.map((event) => eventRow(event, agreed))
    await insertEvents(
      tx,
      written,
      sent.flatMap((event) => stepOf(event).map((step) => ({ id: event.id, ...step }))),
    )
    const shared = sent.filter(({ name }) => name === 'share')
    const kept = await consentsOf(tx, sendersOf(shared))
    const shares = shared.flatMap((event) => shareRow(secret, event, kept))
    if (shares.length > 0) await insertShares(tx, shares)
    return written
  }
  const moments = sent.map(({ at }) => at)
  const rows = await withEventMonths(db, moments, () => inTransaction(db, write))
  for (const userId of dueForTrim(rows, bounds.eventBytesOfPerson * trimEvery))
    await trimEvents(db, userId, bounds.eventBytesOfPerson)
}

/**
 * Returns the users whose events are trimmed now: randomly, with a probability that grows with the bytes written, so that no counts
 * are needed.
 */
function dueForTrim(rows: readonly EventRow[], every: number): string[] {
  const bytes = new Map<string, number>()
  for (const row of rows)
    if (row.user_id !== null) bytes.set(row.user_id, (bytes.get(row.user_id) ?? 0) + bytesOf(row))
  return [...bytes].filter(([, written]) => written > Math.random() * every).map(([userId]) => userId)
}

type KnownEvent = ArrivedEvent & { userId: string | undefined }

async function withSenders(batch: readonly ArrivedEvent[]): Promise<KnownEvent[]> {
  const sent: KnownEvent[] = []
  for (const event of batch) {
    // Most senders are known, and a thousand awaits take time; the others are all being looked up already.
    const sender = event.sender instanceof Promise ? await event.sender : event.sender
    if (sender !== 'tooMany') sent.push({ ...event, userId: sender?.userId })
  }
  return sent
}

function sendersOf(events: readonly KnownEvent[]): string[] {
  return [...new Set(events.map(({ userId }) => userId).filter((id) => id !== undefined))]
}

function eventRow(
  { at, id, name, fields, fbclid, ttclid, userId }: KnownEvent,
  agreed: ReadonlySet<string>,
): EventRow {
  const person = userId !== undefined && agreed.has(userId) ? userId : null
  return {
    at,
    id,
    name,
    fields,
    user_id: person,
    fbclid: person === null ? null : (fbclid ?? null),
    ttclid: person === null ? null : (ttclid ?? null),
  }
}

/**
 * Builds the row of a share, which counts once per viewer, video and half hour. A viewer without a row counts by address: new guests
 * cost nothing, so a hundred of them count as one.
 */
function shareRow(secret: string, { fields, at, ip, userId }: KnownEvent, kept: Consents): ShareRow[] {
  const { video_id } = fields
  if (video_id === undefined) return []
  const who = userId !== undefined && kept.has(userId) ? userId : networkOf(ip)
  const halfHour = Math.floor(at.getTime() / halfHourMs)
  const dedup_key = createHmac('sha256', secret)
    .update(`share|${who}|${video_id}|${halfHour}`)
    .digest('base64url')
  return [{ dedup_key, video_id, at }]
}
