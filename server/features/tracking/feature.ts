import type { Clock } from '#server/platform/clock.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { AdClickIds } from '#server/platform/http/route.ts'
import type { JoinWrites } from '#server/platform/join-writes.ts'
import type { Log } from '#server/platform/log.ts'
import type { Tx } from '#server/tables.ts'
import {
  bufferEvents,
  changeConsent,
  countPlays,
  eraseTracking,
  exportTracking,
  isSenderKnown,
  mergeTracking,
  prepareEvents,
  trimUser,
  writeEvents,
  recordTouch,
  queueRegistrationConversion,
  type AttributionContext,
  type ConversionContext,
  type WriteEventsContext,
} from './tracking.ts'
import type { ReceivedEvent } from './write-events.ts'

interface Dependencies {
  config: Config
  clock: Clock
  log: Log
  joinWrites: JoinWrites<Tx>
}

type TrackingContext = AttributionContext & ConversionContext & WriteEventsContext
type NewMember = Parameters<typeof queueRegistrationConversion>[2]

/**
 * Creates the buffer of analytics events for the context, and the account lifecycle hooks for attribution, events and
 * conversions.
 */
export function trackingFeature(
  { config, clock, log, joinWrites }: Dependencies,
  context: () => TrackingContext,
) {
  const events = bufferEvents<ReceivedEvent>({
    joinWrites,
    prepare: (batch) => prepareEvents(context(), batch),
    write: (batch) => writeEvents(context(), batch),
    isReady: isSenderKnown,
    trim: (userId) => trimUser(context(), userId),
    log,
  })
  return {
    parts: { tracking: config.tracking, events, countPlays },
    lifecycleHooks: {
      storeGuest: [(tx: Tx, id: string, ids: AdClickIds) => recordTouch(context(), tx, id, ids, clock.now())],
      register: [
        (tx: Tx, member: NewMember) => queueRegistrationConversion(context(), tx, member, clock.now()),
      ],
      consent: [
        (tx: Tx, id: string, marketing: boolean, ids: AdClickIds) =>
          changeConsent(context(), tx, id, { marketing, ids }, clock.now()),
      ],
      merge: [(tx: Tx, guest: string, member: string) => mergeTracking(context(), tx, guest, member)],
      erase: [eraseTracking],
      export: [exportTracking],
    },
    stop: () => events.stop(),
  }
}
