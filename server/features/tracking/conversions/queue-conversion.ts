import { createHash } from 'node:crypto'
import type { AdClickIds } from '#server/platform/http/route.ts'
import type { TrackingConfig } from '#server/platform/config/read-tracking.ts'
import type { Db, Tx } from '#server/tables.ts'
import { selectAttribution } from '#server/features/tracking/attribution-queries.ts'
import { hasConsent, type LoadConsents } from '#server/features/tracking/consent.ts'
import { insertConversions } from './conversion-queries.ts'
import type { Destination } from './destination.ts'
import { loadTrackingSettings } from '#server/features/tracking/settings.ts'
import type { ConversionDetails, ConversionName } from '#server/features/tracking/tables.ts'
import { createMetaConversions } from './meta-conversions.ts'
import { createTiktokConversions } from './tiktok-conversions.ts'

export interface ConversionContext {
  loadConsents: LoadConsents
  tracking: TrackingConfig
}

interface ConversionEvent {
  name: ConversionName
  /** The id of the event: the id of the order or of the new member. The browser's pixel sends the same id. */
  eventId: string
  userId: string
  email?: string | undefined
  amountCents?: number
  currency?: string
  fbclid?: string | undefined
  ttclid?: string | undefined
  clickedAt?: Date | undefined
  userAgent?: string | undefined
  at: Date
}

/** Returns the advertising platforms for which an access token and a pixel are set. */
export async function loadDestinations({ tracking }: ConversionContext, db: Db): Promise<Destination[]> {
  const { meta, tiktok } = tracking.conversions
  if (!meta && !tiktok) return []
  const { facebook_pixel_id, tiktok_pixel } = await loadTrackingSettings(db, tracking)
  return [
    ...(meta && facebook_pixel_id ? [createMetaConversions({ ...meta, pixelId: facebook_pixel_id })] : []),
    ...(tiktok && tiktok_pixel ? [createTiktokConversions({ ...tiktok, pixelId: tiktok_pixel })] : []),
  ]
}

/**
 * Queues a conversion for every configured platform, in the transaction of the event. Stores nothing without the user's
 * consent to marketing.
 */
export async function queueConversion(
  context: ConversionContext,
  tx: Tx,
  event: ConversionEvent,
): Promise<void> {
  const destinations = await loadDestinations(context, tx)
  if (destinations.length === 0 || !(await hasConsent(context.loadConsents, tx, event.userId))) return
  const { name, eventId, userId, at } = event
  const details = JSON.stringify(detailsOf(event))
  const rows = destinations.map(({ id }) => ({
    destination: id,
    name,
    event_id: eventId,
    user_id: userId,
    details,
    next_attempt_at: at,
    at,
  }))
  await insertConversions(tx, rows)
}

/** A new member, as the lifecycle hook `register` receives it. */
interface NewMember {
  id: string
  email: string | undefined
  userAgent: string
  adIds: AdClickIds
}

/** Queues the conversion of a registration. The id of the event is the user's id, as in the browser's pixel. */
export async function queueRegistrationConversion(
  context: ConversionContext,
  tx: Tx,
  { id, email, userAgent, adIds }: NewMember,
  now: Date,
): Promise<void> {
  const click = await resolveClickIds(tx, id, adIds, now)
  const event = { userId: id, email, userAgent, ...click, at: now }
  await queueConversion(context, tx, { name: 'complete_registration', eventId: id, ...event })
}

/**
 * Returns the click ids of the call. If it has none, returns those that were stored with consent, because a redirect
 * from a sign-in provider has no click ids.
 */
async function resolveClickIds(tx: Tx, userId: string, { fbclid, ttclid }: AdClickIds, now: Date) {
  if (fbclid !== undefined || ttclid !== undefined) return { fbclid, ttclid, clickedAt: now }
  const attribution = await selectAttribution(tx, userId)
  return (
    attribution && {
      fbclid: attribution.last_touch.fbclid,
      ttclid: attribution.last_touch.ttclid,
      clickedAt: attribution.last_at,
    }
  )
}

function detailsOf(event: ConversionEvent): ConversionDetails {
  const { email, amountCents, currency, fbclid, ttclid, clickedAt, userAgent } = event
  return {
    ...(email ? { email_hash: hashEmail(email) } : {}),
    ...(fbclid === undefined ? {} : { fbclid }),
    ...(ttclid === undefined ? {} : { ttclid }),
    ...(clickedAt === undefined ? {} : { clicked_at_ms: clickedAt.getTime() }),
    ...(userAgent ? { user_agent: userAgent.slice(0, 512) } : {}),
    ...(amountCents === undefined ? {} : { amount_cents: amountCents }),
    ...(currency === undefined ? {} : { currency }),
  }
}

/** Hashes an e-mail address as both platforms require: trimmed, in lower case, SHA-256 in hex. */
function hashEmail(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
}
