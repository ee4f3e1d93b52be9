import type { Clock } from '#server/platform/clock.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { AdIds } from '#server/platform/http/route.ts'
import type { Log } from '#server/platform/log.ts'
import type { Tx } from '#server/tables.ts'
import {
  bufferEvents,
  changeConsent,
  countPlays,
  eraseTracking,
  exportTracking,
  mergeTracking,
  recordTouch,
  reportRegistration,
  writeEvents,
  type AttributionContext,
  type ConversionContext,
  type WriteEventsContext,
} from './tracking.ts'
import type { ArrivedEvent } from './write-events.ts'

interface Needed {
  config: Config
  clock: Clock
  log: Log
}

type TrackingContext = AttributionContext & ConversionContext & WriteEventsContext
type Newcomer = Parameters<typeof reportRegistration>[2]

/** Adds the buffer of analytics events to the context, and records where users come from. */
export function trackingFeature({ config, clock, log }: Needed, context: () => TrackingContext) {
  const events = bufferEvents<ArrivedEvent>({ write: (batch) => writeEvents(context(), batch), log })
  return {
    parts: { tracking: config.tracking, events, countPlays },
    lifecycleHooks: {
      keep: [(tx: Tx, id: string, ids: AdIds) => recordTouch(context(), tx, id, ids, clock.now())],
      register: [(tx: Tx, newcomer: Newcomer) => reportRegistration(context(), tx, newcomer, clock.now())],
      consent: [
        (tx: Tx, id: string, marketing: boolean, ids: AdIds) =>
          changeConsent(context(), tx, id, { marketing, ids }, clock.now()),
      ],
      merge: [(tx: Tx, guest: string, member: string) => mergeTracking(context(), tx, guest, member)],
      erase: [eraseTracking],
      export: [exportTracking],
    },
    stop: () => events.stop(),
  }
}
