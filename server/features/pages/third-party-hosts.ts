import { loadTrackingSettings } from '#server/features/tracking/tracking.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { TrackingConfig } from '#server/platform/config/read-tracking.ts'
import type { Db } from '#server/tables.ts'
import type { PaymentGateway } from '#server/features/billing/billing.ts'
import type { ThirdPartyHosts } from './head/content-security-policy.ts'
import { hostsOfPixels } from './pixel-hosts.ts'

export interface ThirdPartyHostsContext {
  db: Db
  clock: Clock
  tracking: TrackingConfig
  /** DSN of the error reporter. Browsers send errors to its host. */
  sentryDsn: string | undefined
  /** Hosts of videos and images, in addition to the site itself. */
  mediaHosts: readonly string[]
  /** The configured gateways. */
  gateways: readonly PaymentGateway[]
}

/** Returns the hosts of error reports and media. Unlike pixels, no runtime setting changes them. */
export function staticHosts({
  sentryDsn,
  mediaHosts,
}: Pick<ThirdPartyHostsContext, 'sentryDsn' | 'mediaHosts'>): ThirdPartyHosts {
  const beacon = sentryDsn === undefined ? [] : [new URL(sentryDsn).origin]
  return { script: [], beacon, media: mediaHosts }
}

/**
 * Creates a function that returns the hosts that a document's policy allows, for configured pixels, error reports and
 * media. It is called for every document, so the settings are cached for a second. If the database is down, the pixels
 * in the environment's settings apply.
 */
export function createThirdPartyHostsLoader(context: ThirdPartyHostsContext): () => Promise<ThirdPartyHosts> {
  const { db, clock, tracking } = context
  const settings = createResponseCache<Awaited<ReturnType<typeof loadTrackingSettings>>>(clock)
  const fixedHosts = staticHosts(context)
  return async () => {
    const pixels = await settings
      .get('', () => loadTrackingSettings(db, tracking))
      .catch(() => tracking.pixels)
    const { script, beacon } = hostsOfPixels(pixels)
    return { ...fixedHosts, script, beacon: [...beacon, ...fixedHosts.beacon] }
  }
}

/** Returns the hosts that the policy of the payment form allows: those of gateways that load a script. */
export function paymentFormHosts(gateways: readonly PaymentGateway[]): ThirdPartyHosts {
  const hosts = gateways.flatMap((gateway) => gateway.formHosts ?? [])
  return {
    script: hosts.flatMap(({ script }) => script),
    beacon: [],
    connect: hosts.flatMap(({ connect }) => connect),
    frame: hosts.flatMap(({ frame }) => frame),
  }
}
