import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Log } from '#server/platform/log.ts'
import { listen } from './listen.ts'

/** A cache that relies on the notifications of a database channel. */
export interface AnnouncementListener {
  channel: string
  onAnnouncement(payload: string): void
  /** Called when notifications may have been missed. */
  onMissed(): void
}

export interface Announcements {
  /** True while notifications arrive. */
  arrive(): boolean
  stop(): Promise<void>
}

/** The channel of the echoes. */
const echoChannel = 'echo'
/**
 * Interval at which this process sends a notification to itself (an echo),
 * to check whether notifications are delivered.
 */
const defaultEchoEveryMs = 20_000
const echoTimeoutMs = 5000

interface Options {
  pool: Pool
  /** Connections that keep their PostgreSQL session, which LISTEN requires. */
  sessions: Pool
  log: Log
  listeners: readonly AnnouncementListener[]
  echoEveryMs?: number
}

/**
 * Listens to notifications on one connection. Notifications are lost if the listener is disconnected or a pooler does
 * not forward them. To detect this, the process sends notifications to itself.
 */
export function openAnnouncements({
  pool,
  sessions,
  log,
  listeners,
  echoEveryMs = defaultEchoEveryMs,
}: Options): Announcements {
  let arrive = false
  let pendingEcho: { echo: string; timeout: NodeJS.Timeout } | undefined

  const clearEcho = () => {
    clearTimeout(pendingEcho?.timeout)
    pendingEcho = undefined
  }
  const onMissed = () => {
    arrive = false
    clearEcho()
    for (const listener of listeners) listener.onMissed()
  }
  const onEchoMissing = (error?: unknown) => {
    if (arrive)
      log.debug({ err: error }, 'Database notifications do not arrive; caches that rely on them are not used')
    onMissed()
  }
  const sendEcho = () => {
    if (pendingEcho) return
    const echo = randomUUID()
    pendingEcho = { echo, timeout: setTimeout(onEchoMissing, echoTimeoutMs).unref() }
    // The first echo is sent over `pool`, as changes are. So it also checks that both pools lead to the same database.
    // Later echoes do not wait for a busy pool: a late echo would count as missing and turn off the caches under load.
    const sent = arrive
      ? listener.notify(echoChannel, echo)
      : pool.query('SELECT pg_notify($1, $2)', [echoChannel, echo])
    sent.catch(onEchoMissing)
  }
  const byChannel = Map.groupBy(listeners, ({ channel }) => channel)
  const onNotification = (channel: string, payload?: string) => {
    if (payload === undefined) {
      // A missing payload reports that listening has begun on a channel. The echo channel is the last one, so this
      // process now listens on all channels.
      if (channel !== echoChannel) return
      onMissed()
      sendEcho()
    } else if (channel === echoChannel) {
      if (payload !== pendingEcho?.echo) return
      clearEcho()
      arrive = true
    } else for (const listener of byChannel.get(channel) ?? []) listener.onAnnouncement(payload)
  }
  const channels = [...byChannel.keys(), echoChannel]
  const listener = listen(sessions, channels, onNotification, log, onMissed)
  const timer = setInterval(sendEcho, echoEveryMs).unref()
  return {
    arrive: () => arrive,
    async stop() {
      clearInterval(timer)
      await listener.stop()
      onMissed()
    },
  }
}
