import { Type } from 'typebox'
import { Fault } from '#contract/errors.ts'
import { getReports, trackingKeys } from '#contract/tracking.ts'
import type { DiskGuard } from '#server/platform/processes/disk-guard.ts'
import type { NetworkQuotas } from '#server/platform/network-quotas.ts'
import type { Clock } from '#server/platform/clock.ts'
import {
  route,
  type FindViewer,
  type PlainRoute,
  type Route,
  type Viewer,
} from '#server/platform/http/route.ts'
import type { TrackingConfig } from '#server/platform/config/read-tracking.ts'
import type { Db } from '#server/tables.ts'
import type { EventBuffer } from './buffer-events.ts'
import { estimateEventBytes } from './event-queries.ts'
import { parseBeacon, type AnalyticsEvent } from './parse-beacon.ts'
import { loadTrackingSettings } from './settings.ts'
import { receiveEvent, type ReceivedEvent, type Sender } from './write-events.ts'

export interface TrackingRoutesContext {
  db: Db
  clock: Clock
  tracking: TrackingConfig
  events: EventBuffer<ReceivedEvent>
  quotas: NetworkQuotas
  disk: Pick<DiskGuard, 'isLow'>
  /** Called with the name of each received event, for metrics. */
  countEvent?(name: string): void
}

export function trackingRoutes({ db, tracking }: TrackingRoutesContext): Route[] {
  return [
    route(getReports, async () => {
      const values = await loadTrackingSettings(db, tracking)
      const list = trackingKeys.map((config_key) => ({ config_key, config_value: values[config_key] ?? '' }))
      return { data: { list, next_cursor: null } }
    }),
  ]
}

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

/**
 * The schema of the query, only for the API description. `parseBeacon` reads the query field by field and ignores
 * invalid fields.
 */
const beaconQuery = Type.Object({
  event: Type.Optional(Type.String({ maxLength: 128, description: 'The name of the event' })),
  fbclid: Type.Optional(Type.String({ maxLength: 512 })),
  ttclid: Type.Optional(Type.String({ maxLength: 512 })),
  fields: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z]\\w{0,31}$' }), Type.String({ maxLength: 256 }), {
      maxProperties: 16,
      description: 'Every other parameter is a field of the event, under its own name',
    }),
  ),
})

/**
 * Creates the route of the beacon. It returns the same pixel for every event, whether or not the event is stored, and
 * then identifies the sender. If the identification fails, the sender is anonymous. The event counts against the
 * sender's rate limit. Above the limit, the event is dropped and the sender's other calls are refused.
 */
export function beaconRoutes({
  clock,
  events,
  quotas,
  disk,
  countEvent,
}: TrackingRoutesContext): PlainRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/statics.png',
      description: {
        summary: 'Records an analytics event of the site, and returns a pixel',
        query: beaconQuery,
        answers: { 200: { words: 'A transparent pixel', type: 'image/png' } },
      },
      handle(request, reply, _caller, viewer) {
        reply.type('image/png').header('cache-control', 'no-store').send(pixel)
        const event = parseBeacon(request.query)
        if (event) countEvent?.(event.name)
        const sender = event && identifySender(viewer)
        if (event && !disk.isLow() && consumeQuota(quotas, request.ip, event))
          events.add(receiveEvent(event, clock.now(), request.ip, sender))
        return reply
      },
    },
  ]
}

/**
 * Counts the bytes of an event against the hourly and daily quota of its network.
 * @returns whether both quotas allow it
 */
function consumeQuota(quotas: NetworkQuotas, ip: string, event: AnalyticsEvent): boolean {
  const bytes = estimateEventBytes(event)
  return quotas.spend('eventBytes', ip, bytes) === 0 && quotas.spend('dailyEventBytes', ip, bytes) === 0
}

/** Identifies the sender of an event. Never throws or rejects, and is synchronous if no lookup is needed. */
function identifySender(viewer: FindViewer): Sender | Promise<Sender> {
  try {
    const found = viewer()
    return found instanceof Promise ? found.then(storedSender).catch(senderAfterError) : storedSender(found)
  } catch (error) {
    return senderAfterError(error)
  }
}

/**
 * Returns the viewer if the viewer has a row. A guest without a row has not consented to anything, and the guest's
 * token may belong to a user who has registered since.
 */
function storedSender(viewer: Viewer | null): Sender {
  return viewer?.isStored ? viewer : null
}

function senderAfterError(error: unknown): Sender {
  return error instanceof Fault && error.reason === 'tooManyRequests' ? 'tooManyRequests' : null
}
