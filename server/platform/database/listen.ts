import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Log } from '#server/platform/log.ts'

const againMs = 1000

export interface ChannelListener {
  stop(): Promise<void>
}

/** Receives the channel's name and the payload; without a payload when listening begins. */
type OnNotification = (channel: string, payload?: string) => void

/**
 * Calls `onNotification` when any process notifies a channel (`pg_notify`). Also calls it for every channel each time
 * listening begins, because earlier notifications may have been missed. Uses one connection and replaces it when it is
 * lost. Callers must poll as well, because notifications can be lost: they only reduce the delay.
 * @param pool a pool whose connections keep their session
 * @param onDisconnect called when listening has stopped, until it begins again
 */
export function listen(
  pool: Pool,
  channels: readonly string[],
  onNotification: OnNotification,
  log: Log,
  onDisconnect: () => void = () => {},
): ChannelListener {
  const stopping = new AbortController()
  const listening = listenAndReconnect(pool, channels, { onNotification, onDisconnect }, stopping.signal, log)
  return {
    async stop() {
      stopping.abort()
      await listening
    },
  }
}

async function listenAndReconnect(
  pool: Pool,
  channels: readonly string[],
  { onNotification, onDisconnect }: { onNotification: OnNotification; onDisconnect: () => void },
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(pool, channels, onNotification, signal).catch((error: unknown) =>
      log.debug({ err: error }, 'Listening to the database failed; retrying'),
    )
    onDisconnect()
    await delay(againMs, undefined, { signal }).catch(() => {})
  }
}

/** Listens until the connection is lost or the signal aborts. */
async function listenOnce(
  pool: Pool,
  channels: readonly string[],
  onNotification: OnNotification,
  signal: AbortSignal,
): Promise<void> {
  const client = await pool.connect()
  const over = Promise.withResolvers<void>()
  const end = () => over.resolve()
  client.once('end', end).on('error', end)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  client.on('notification', ({ channel, payload }) => onNotification(channel, payload))
  try {
    for (const channel of channels) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
    for (const channel of channels) onNotification(channel)
    await over.promise
  } finally {
    signal.removeEventListener('abort', end)
    // Closed instead of returned to the pool, where it would continue to listen.
    client.release(true)
  }
}
