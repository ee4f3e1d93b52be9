import { createHmac, randomUUID } from 'node:crypto'
import { networkOf } from '#server/platform/http/network-of.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import type { Consents, ConsentsOf } from './consent.ts'
import { insertEvents, insertShares, type EventRow, type ShareRow } from './event-queries.ts'
import type { SentEvent } from './read-event.ts'

/** An event as it arrived. Who sent it is known a moment later than the picture was answered. */
export interface ArrivedEvent extends SentEvent {
  id: string
  at: Date
  ip: string
  viewer: Promise<Viewer | null>
}

const halfHourMs = 30 * 60_000

/** Marks an event's arrival. `viewer` never rejects. */
export function arrive(event: SentEvent, at: Date, ip: string, viewer: Promise<Viewer | null>): ArrivedEvent {
  return { ...event, id: randomUUID(), at, ip, viewer }
}

interface WriteContext {
  db: Db
  secret: string
  consentsOf: ConsentsOf
}

/**
 * Writes a batch and counts the shares in it, in one transaction; written twice, it is there once. An event carries a
 * person and click ids only where that person agreed to it (security.md, "Consent").
 */
export async function writeEvents(
  { db, secret, consentsOf }: WriteContext,
  batch: readonly ArrivedEvent[],
): Promise<void> {
  const senders = await Promise.all(batch.map(async ({ viewer }) => (await viewer)?.userId))
  const ids = [...new Set(senders.filter((id) => id !== undefined))]
  await db.transaction().execute(async (tx) => {
    const consents = await consentsOf(tx, ids)
    await insertEvents(
      tx,
      batch.map((event, index) => eventRow(event, senders[index], consents)),
    )
    const shares = batch.flatMap((event, index) => shareRow(secret, event, senders[index], consents))
    if (shares.length > 0) await insertShares(tx, shares)
  })
}

function eventRow(
  { at, id, name, fields, fbclid, ttclid }: ArrivedEvent,
  sender: string | undefined,
  consents: Consents,
): EventRow {
  const person = sender !== undefined && consents.get(sender) === true ? sender : null
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
 * A share counts once per viewer, video and half hour. Whoever has no row of their own counts by address: a new guest
 * costs nothing, so a hundred of them are worth no more than one.
 */
function shareRow(
  secret: string,
  { name, fields, at, ip }: ArrivedEvent,
  sender: string | undefined,
  consents: Consents,
): ShareRow[] {
  const { video_id } = fields
  if (name !== 'share' || video_id === undefined) return []
  const who = sender !== undefined && consents.has(sender) ? sender : networkOf(ip)
  const halfHour = Math.floor(at.getTime() / halfHourMs)
  const mark = createHmac('sha256', secret).update(`share|${who}|${video_id}|${halfHour}`).digest('base64url')
  return [{ mark, video_id, at }]
}
