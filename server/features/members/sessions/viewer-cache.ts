import { hash } from 'node:crypto'
import type { Clock } from '#server/platform/clock.ts'
import type { AnnouncementListener } from '#server/platform/database/announcements.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import { cookieName, type TokenSource } from '#server/features/members/members-context.ts'

/** Caches the viewer of each token, so that frequent calls need no query. */
export interface ViewerCache {
  /** Returns the viewer of these tokens, or undefined if a query is needed. */
  get(tokens: TokenSource): Viewer | undefined
  /** Identifies the viewer of these tokens with `identify`, and caches the viewer. */
  identifyAndCache(
    tokens: TokenSource,
    identify: () => Viewer | null | Promise<Viewer | null>,
  ): Viewer | null | Promise<Viewer | null>
  /** Removes a viewer's tokens from the cache, so that the next call runs a query. */
  evict(userId: string): void
  /**
   * Listens to the channel in which the database announces a user's id when a session ends or a guest becomes a member.
   */
  listener: AnnouncementListener
}

/**
 * Cache lifetime. It is shorter than the interval at which a session's `last_seen_at` is updated, so that cached calls
 * do not prevent the update.
 */
const lifetimeMs = 30 * 60_000
const maxEntries = 50_000

interface Options {
  clock: Clock
  isHttps: boolean
  /** Returns whether the notifications of the database arrive. */
  announcementsArrive(): boolean
}

/**
 * Caches viewers for `lifetimeMs`, or until the database announces that their session has ended. Caches no viewer while
 * notifications may be lost.
 */
export function createViewerCache({ clock, isHttps, announcementsArrive }: Options): ViewerCache {
  const entries = new Map<string, { viewer: Viewer; until: number }>()
  const keysByUserId = new Map<string, Set<string>>()
  /**
   * Number of evictions. A viewer is not cached if an eviction happened during the look-up, because the session may
   * have ended.
   */
  let evictionCount = 0

  const evictAll = () => {
    evictionCount++
    entries.clear()
    keysByUserId.clear()
  }
  const evict = (userId: string) => {
    evictionCount++
    for (const key of keysByUserId.get(userId) ?? []) entries.delete(key)
    keysByUserId.delete(userId)
  }

  const store = (key: string, viewer: Viewer) => {
    if (entries.size >= maxEntries) {
      entries.clear()
      keysByUserId.clear()
    }
    entries.set(key, { viewer, until: clock.now().getTime() + lifetimeMs })
    keysByUserId.set(viewer.userId, (keysByUserId.get(viewer.userId) ?? new Set()).add(key))
  }
  return {
    get(tokens) {
      if (entries.size === 0) return undefined
      const found = entries.get(cacheKey(tokens, isHttps))
      return found && found.until > clock.now().getTime() ? found.viewer : undefined
    },
    identifyAndCache(tokens, identify) {
      const evictionsBefore = evictionCount
      const found = identify()
      if (!announcementsArrive() || !(found instanceof Promise)) return found
      return found.then((viewer) => {
        if (viewer?.isStored && evictionCount === evictionsBefore) store(cacheKey(tokens, isHttps), viewer)
        return viewer
      })
    },
    evict,
    listener: { channel: 'viewer_cache', onAnnouncement: evict, onMissed: evictAll },
  }
}

/** Hashes all tokens of a call, so that cache keys are short, and useless if leaked. */
function cacheKey({ cookies, headers }: TokenSource, isHttps: boolean): string {
  const keyParts = [
    cookies[cookieName(isHttps, 'session')],
    cookies[cookieName(isHttps, 'guest')],
    headers['x-user-token'],
  ]
  return hash('sha256', JSON.stringify(keyParts), 'base64')
}
