import type { Language } from '#contract/languages.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { ChangeFeed } from '#server/platform/database/catalogue-changes.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Db } from '#server/tables.ts'
import { createEpisodeCache } from './episode-cache.ts'
import { createMediaKeys } from './media-keys.ts'
import { findCoveringEntitlement, type MediaContext } from './media.ts'

interface Dependencies {
  config: Config
  db: Db
  clock: Clock
  catalogueChanges: ChangeFeed
  storage: Storage
}

/**
 * Adds to the context: the episode cache, the keys and signing secrets of media, the hosts that serve media, and
 * `findCoveringEntitlement`.
 */
export function mediaFeature(
  { config, db, clock, catalogueChanges, storage }: Dependencies,
  context: () => MediaContext,
) {
  const { secrets, mediaEncrypt } = config
  const { delivery } = storage
  return {
    parts: {
      episodes: createEpisodeCache(db, clock, catalogueChanges),
      mediaSecrets: secrets.media,
      mediaKeys: createMediaKeys(secrets.appSecret, mediaEncrypt === 'aes-128'),
      mediaHosts: delivery.kind === 'files' ? [] : [new URL(delivery.origin).origin],
      findCoveringEntitlement: (viewer: Viewer, episodeId: string, language: Language) =>
        findCoveringEntitlement(context(), viewer, episodeId, language),
    },
  }
}
