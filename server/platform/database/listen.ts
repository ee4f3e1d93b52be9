import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '#server/platform/log.ts'

const againMs = 1000

export interface ChannelListener {
  /** Notifies a channel over the connection that listens. Rejects while no connection listens. */
  notify(channel: string, payload: string): Promise<void>
  stop(): Promise<void>
}

/** Receives the channel's name and the payload. The payload is missing when listening begins. */
type OnNotification = (channel: string, payload?: string) => void

/**
 * Calls `onNotification` when any process notifies a channel (`pg_notify`). Also calls it for every channel each time
 * listening begins, because earlier notifications may have been missed. Uses one connection and replaces it when it is
 * lost. Callers must poll as well, because notifications can be lost. Notifications only make them notice changes
 * earlier.
 * @param pool a pool whose connections keep their session
 * @param onDisconnect called when listening stops, and after each failed attempt to begin again
 */
export function listen(
  pool: Pool,
  channels: readonly string[],
  onNotification: OnNotification,
  log: Log,
  onDisconnect: () => void = () => {},
): ChannelListener {
  const stopping = new AbortController()
  let listeningClient: PoolClient | undefined
  const onClient = (client: PoolClient | undefined) => (listeningClient = client)
  const listening = listenAndReconnect(
    pool,
    channels,
    { onNotification, onDisconnect, onClient },
    stopping.signal,
    log,
  )
  return {
    async notify(channel, payload) {
      if (!listeningClient) throw new Error('No connection listens to the database')
      const client = listeningClient
      await client.query(`NOTIFY ${client.escapeIdentifier(channel)}, ${client.escapeLiteral(payload)}`)
    },
    async stop() {
      stopping.abort()
      await listening
    },
  }
}

interface ListenEvents {
  onNotification: OnNotification
  onDisconnect(): void
  /** Called with the connection that listens, and with undefined once it is lost. */
  onClient(client: PoolClient | undefined): void
}

async function listenAndReconnect(
  pool: Pool,
  channels: readonly string[],
  events: ListenEvents,
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(pool, channels, events, signal).catch((error: unknown) =>
      log.debug({ err: error }, 'Listening to the database failed; retrying'),
    )
    events.onDisconnect()
    await delay(againMs, undefined, { signal }).catch(() => {})
  }
}

/** Listens until the connection is lost or the signal aborts. */
async function listenOnce(
  pool: Pool,
  channels: readonly string[],
  { onNotification, onClient }: ListenEvents,
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
    onClient(client)
    for (const channel of channels) onNotification(channel)
    await over.promise
  } finally {
    onClient(undefined)
    signal.removeEventListener('abort', end)
    // Closes the connection, because it would continue to listen in the pool.
    client.release(true)
  }
}
