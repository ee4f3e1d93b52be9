import { loadTrackingSettings } from '#server/features/tracking/tracking.ts'
import { createAnswerCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { TrackingConfig } from '#server/platform/config/read-tracking.ts'
import type { Db } from '#server/tables.ts'
import type { PaymentGateway } from '#server/features/billing/billing.ts'
import type { ForeignHosts } from './head/content-security-policy.ts'
import { hostsOf } from './pixel-hosts.ts'

export interface ForeignHostsContext {
  db: Db
  clock: Clock
  tracking: TrackingConfig
  /** Host to which browsers report errors. */
  sentryDsn: string | undefined
  /** Hosts of videos and images, besides the site itself. */
  mediaHosts: readonly string[]
  /** The gateways that are configured. */
  gateways: readonly PaymentGateway[]
}

/** Returns the hosts of error reports and media: the foreign hosts that no runtime setting changes. */
export function lastingHosts({
  sentryDsn,
  mediaHosts,
}: Pick<ForeignHostsContext, 'sentryDsn' | 'mediaHosts'>): ForeignHosts {
  const told = sentryDsn === undefined ? [] : [new URL(sentryDsn).origin]
  return { script: [], told, media: mediaHosts }
}

/**
 * Creates a loader of the hosts that the documents' policy allows: configured pixels and error reports. It runs for every document,
 * so the settings are read at most once a second. If the database is down, the environment's settings apply.
 */
export function foreignHostsLoader(context: ForeignHostsContext): () => Promise<ForeignHosts> {
  const { db, clock, tracking } = context
  const settings = createAnswerCache<Awaited<ReturnType<typeof loadTrackingSettings>>>(clock)
  const lasting = lastingHosts(context)
  return async () => {
    const pixels = await settings
      .get('', () => loadTrackingSettings(db, tracking))
      .catch(() => tracking.pixels)
    const { script, told } = hostsOf(pixels)
    return { ...lasting, script, told: [...told, ...lasting.told] }
  }
}

/** Returns the hosts that the payment form's document allows: those of gateways that load a script. */
export function formHosts(gateways: readonly PaymentGateway[]): ForeignHosts {
  const hosts = gateways.flatMap((gateway) => gateway.formHosts ?? [])
  return {
    script: hosts.flatMap(({ script }) => script),
    told: [],
    connect: hosts.flatMap(({ connect }) => connect),
    frame: hosts.flatMap(({ frame }) => frame),
  }
}
