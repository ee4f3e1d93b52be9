import { hash, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Clock } from '#server/platform/clock.ts'
import { listen } from '#server/platform/database/listen.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Log } from '#server/platform/log.ts'
import { cookieName, type TokenSource } from '#server/features/members/members-context.ts'

/** Caches which viewer a token belongs to, so that frequent calls need no query. */
export interface Recognition {
  /** Returns the viewer of these tokens, or undefined if a query is needed. */
  recall(tokens: TokenSource): Viewer | undefined
  /** Identifies the viewer of these tokens with `identify`, and caches them. */
  identify(
    tokens: TokenSource,
    identify: () => Viewer | null | Promise<Viewer | null>,
  ): Viewer | null | Promise<Viewer | null>
  /** Removes a viewer's tokens from the cache: the next call runs a query. */
  forget(userId: string): void
  stop(): Promise<void>
}

/** The database notifies this channel with the user id when a session ends or a guest becomes a member. */
const channel = 'identities'
/** The same as the interval at which a session's `last_seen` is updated. */
const lifetimeMs = 30 * 60_000
const mostPeople = 50_000
/** Interval of the notifications to this process itself that check whether notifications are delivered. */
const echoEveryMs = 20_000
const echoWithinMs = 5000

interface Options {
  pool: Pool
  /** Connections that keep their session. */
  sessions: Pool
  clock: Clock
  log: Log
  secure: boolean
}

/**
 * Caches viewers until their session ends, which the database notifies on commit. While notifications may be lost (the listener is
 * disconnected, or a pooler does not forward them, so that no echo arrives) nobody is cached.
 */
export function openRecognition({ pool, sessions, clock, log, secure }: Options): Recognition {
  const known = new Map<string, { viewer: Viewer; until: number }>()
  const tokensOf = new Map<string, Set<string>>()
  /** Counts evictions: a viewer who was looked up before one may have signed out since. */
  let forgotten = 0
  let hears = false
  let awaited: { echo: string; late: NodeJS.Timeout } | undefined

  const forgetAll = () => {
    forgotten++
    hears = false
    known.clear()
    tokensOf.clear()
  }
  const forget = (userId: string) => {
    forgotten++
    for (const key of tokensOf.get(userId) ?? []) known.delete(key)
    tokensOf.delete(userId)
  }
  const sendEcho = () => {
    if (awaited) return
    const echo = `echo ${randomUUID()}`
    awaited = { echo, late: setTimeout(miss, echoWithinMs).unref() }
    pool.query('SELECT pg_notify($1, $2)', [channel, echo]).catch(miss)
  }
  const endEcho = () => {
    clearTimeout(awaited?.late)
    awaited = undefined
  }
  function miss(error?: unknown): void {
    endEcho()
    if (hears)
      log.debug({ err: error }, 'Database notifications do not arrive; looking up the session of every call')
    forgetAll()
  }
  const heard = (_: string, payload?: string) => {
    if (payload === undefined) {
      forgetAll()
      endEcho()
      sendEcho()
    } else if (payload === awaited?.echo) {
      endEcho()
      hears = true
    } else if (!payload.startsWith('echo ')) forget(payload)
  }
  const lost = () => {
    endEcho()
    forgetAll()
  }
  const listening = listen(sessions, [channel], heard, log, lost)
  // Nothing is sent while the cache is empty.
  const timer = setInterval(() => (known.size > 0 || !hears) && sendEcho(), echoEveryMs).unref()

  const remember = (key: string, viewer: Viewer) => {
    if (known.size >= mostPeople) {
      known.clear()
      tokensOf.clear()
    }
    known.set(key, { viewer, until: clock.now().getTime() + lifetimeMs })
    tokensOf.set(viewer.userId, (tokensOf.get(viewer.userId) ?? new Set()).add(key))
  }
  return {
    recall(tokens) {
      if (known.size === 0) return undefined
      const found = known.get(keyOf(tokens, secure))
      return found && found.until > clock.now().getTime() ? found.viewer : undefined
    },
    identify(tokens, identify) {
      const before = forgotten
      const found = identify()
      if (!hears || !(found instanceof Promise)) return found
      return found.then((viewer) => {
        if (viewer?.kept && forgotten === before) remember(keyOf(tokens, secure), viewer)
        return viewer
      })
    },
    forget,
    async stop() {
      clearInterval(timer)
      await listening.stop()
      lost()
    },
  }
}

/** Hashes all tokens of a call: short, and useless if leaked. */
function keyOf({ cookies, headers }: TokenSource, secure: boolean): string {
  const given = [
    cookies[cookieName(secure, 'session')],
    cookies[cookieName(secure, 'guest')],
    headers['x-user-token'],
  ]
  return hash('sha256', JSON.stringify(given), 'base64')
}
