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
  /** Where browsers report errors to. */
  sentryDsn: string | undefined
  /** Where videos and pictures come from, besides the site itself. */
  mediaHosts: readonly string[]
  /** Those that are set up. */
  gateways: readonly PaymentGateway[]
}

/** Where errors are reported to and where media come from: the foreign hosts that no setting of a running site changes. */
export function lastingHosts({
  sentryDsn,
  mediaHosts,
}: Pick<ForeignHostsContext, 'sentryDsn' | 'mediaHosts'>): ForeignHosts {
  const told = sentryDsn === undefined ? [] : [new URL(sentryDsn).origin]
  return { script: [], told, media: mediaHosts }
}

/**
 * What the documents' policy has to allow: the pixels that are set up and the error reporting. Asked for with every
 * document, so the settings are read at most once a second; while the database is away those of the environment stand in.
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

/** The hosts that the payment form's document allows: only gateways with a script of their own. */
export function formHosts(gateways: readonly PaymentGateway[]): ForeignHosts {
  const hosts = gateways.flatMap((gateway) => gateway.formHosts ?? [])
  return {
    script: hosts.flatMap(({ script }) => script),
    told: [],
    connect: hosts.flatMap(({ connect }) => connect),
    frame: hosts.flatMap(({ frame }) => frame),
  }
}
