import { hash, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Clock } from '#server/platform/clock.ts'
import { listen } from '#server/platform/database/listen.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Log } from '#server/platform/log.ts'
import { cookieName, type TokenSource } from '#server/features/members/members-context.ts'

/** Caches which viewer a token belongs to, so that frequent calls need no query. */
export interface ViewerCache {
  /** Returns the viewer of these tokens, or undefined if a query is needed. */
  get(tokens: TokenSource): Viewer | undefined
  /** Identifies the viewer of these tokens with `identify`, and caches the viewer. */
  identifyAndCache(
    tokens: TokenSource,
    identify: () => Viewer | null | Promise<Viewer | null>,
  ): Viewer | null | Promise<Viewer | null>
  /** Removes a viewer's tokens from the cache: the next call runs a query. */
  evict(userId: string): void
  stop(): Promise<void>
}

/** The database notifies this channel with the user id when a session ends or a guest becomes a member. */
const channel = 'viewer_cache'
/**
 * Shorter than the interval at which a session's `last_seen_at` is updated,
 * so that cached calls do not prevent the update.
 */
const lifetimeMs = 30 * 60_000
const maxEntries = 50_000
/**
 * Interval at which this process sends a notification to itself (an echo),
 * to check whether notifications are delivered.
 */
const echoEveryMs = 20_000
const echoTimeoutMs = 5000

interface Options {
  pool: Pool
  /** Connections that keep their PostgreSQL session, which LISTEN requires. */
  sessions: Pool
  clock: Clock
  log: Log
  isHttps: boolean
}

/**
 * Caches viewers for `lifetimeMs`, or until the database notifies that their session has ended. Caches nobody while
 * notifications may be lost, because the listener is disconnected or a pooler does not forward them. To detect this,
 * each process sends notifications to itself.
 */
export function createViewerCache({ pool, sessions, clock, log, isHttps }: Options): ViewerCache {
  const entries = new Map<string, { viewer: Viewer; until: number }>()
  const keysByUserId = new Map<string, Set<string>>()
  /**
   * Counts evictions. A viewer whose look-up began before an eviction is not
   * cached, because the session may have ended since.
   */
  let evictionCount = 0
  let notificationsArrive = false
  let pendingEcho: { echo: string; timeout: NodeJS.Timeout } | undefined

  const evictAll = () => {
    evictionCount++
    notificationsArrive = false
    entries.clear()
    keysByUserId.clear()
  }
  const evict = (userId: string) => {
    evictionCount++
    for (const key of keysByUserId.get(userId) ?? []) entries.delete(key)
    keysByUserId.delete(userId)
  }
  const sendEcho = () => {
    if (pendingEcho) return
    const echo = `echo ${randomUUID()}`
    pendingEcho = { echo, timeout: setTimeout(onEchoMissing, echoTimeoutMs).unref() }
    pool.query('SELECT pg_notify($1, $2)', [channel, echo]).catch(onEchoMissing)
  }
  const clearEcho = () => {
    clearTimeout(pendingEcho?.timeout)
    pendingEcho = undefined
  }
  function onEchoMissing(error?: unknown): void {
    clearEcho()
    if (notificationsArrive)
      log.debug({ err: error }, 'Database notifications do not arrive; looking up the session of every call')
    evictAll()
  }
  const onNotification = (_: string, payload?: string) => {
    if (payload === undefined) {
      evictAll()
      clearEcho()
      sendEcho()
    } else if (payload === pendingEcho?.echo) {
      clearEcho()
      notificationsArrive = true
    } else if (!payload.startsWith('echo ')) evict(payload)
  }
  const onConnectionLost = () => {
    clearEcho()
    evictAll()
  }
  const listener = listen(sessions, [channel], onNotification, log, onConnectionLost)
  // No echo is needed while notifications arrive and the cache is empty.
  const timer = setInterval(
    () => (entries.size > 0 || !notificationsArrive) && sendEcho(),
    echoEveryMs,
  ).unref()

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
      if (!notificationsArrive || !(found instanceof Promise)) return found
      return found.then((viewer) => {
        if (viewer?.isStored && evictionCount === evictionsBefore) store(cacheKey(tokens, isHttps), viewer)
        return viewer
      })
    },
    evict,
    async stop() {
      clearInterval(timer)
      await listener.stop()
      onConnectionLost()
    },
  }
}

/** Hashes all tokens of a call, so that keys are short, and useless if leaked. */
function cacheKey({ cookies, headers }: TokenSource, isHttps: boolean): string {
  const keyParts = [
    cookies[cookieName(isHttps, 'session')],
    cookies[cookieName(isHttps, 'guest')],
    headers['x-user-token'],
  ]
  return hash('sha256', JSON.stringify(keyParts), 'base64')
}
