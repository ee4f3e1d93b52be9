import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Log } from '#server/platform/log.ts'

const againMs = 1000

export interface Listening {
  stop(): Promise<void>
}

/** A listener: receives the channel's name and the payload; no payload when listening begins. */
type Heard = (channel: string, payload?: string) => void

/**
 * Calls `heard` whenever any process notifies a channel (`pg_notify`), and for every channel each time listening begins, since
 * earlier notifications may have been missed. It holds a connection, and reconnects when that is lost. Notifications only speed
 * things up: callers must poll as well.
 * @param pool whose connections keep their session
 * @param lost called when listening has stopped, until it begins again
 */
export function listen(
  pool: Pool,
  channels: readonly string[],
  heard: Heard,
  log: Log,
  lost: () => void = () => {},
): Listening {
  const stopping = new AbortController()
  const listening = keepListening(pool, channels, { heard, lost }, stopping.signal, log)
  return {
    async stop() {
      stopping.abort()
      await listening
    },
  }
}

async function keepListening(
  pool: Pool,
  channels: readonly string[],
  { heard, lost }: { heard: Heard; lost: () => void },
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(pool, channels, heard, signal).catch((error: unknown) =>
      log.debug({ err: error }, 'Listening to the database failed; retrying'),
    )
    lost()
    await delay(againMs, undefined, { signal }).catch(() => {})
  }
}

/** Listens until the connection is lost or the signal aborts. */
async function listenOnce(
  pool: Pool,
  channels: readonly string[],
  heard: Heard,
  signal: AbortSignal,
): Promise<void> {
  const client = await pool.connect()
  const over = Promise.withResolvers<void>()
  const end = () => over.resolve()
  client.once('end', end).on('error', end)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  client.on('notification', ({ channel, payload }) => heard(channel, payload))
  try {
    for (const channel of channels) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
    for (const channel of channels) heard(channel)
    await over.promise
  } finally {
    signal.removeEventListener('abort', end)
    // Closed instead of returned to the pool, where it would continue to listen.
    client.release(true)
  }
}
