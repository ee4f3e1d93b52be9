import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Log } from '#server/platform/log.ts'

const againMs = 1000

export interface Listening {
  stop(): Promise<void>
}

/** What a listener tells: the channel's name, and what it was notified with; nothing where the listening begins. */
type Heard = (channel: string, payload?: string) => void

/**
 * Calls `heard` whenever a channel is notified (`pg_notify`) by any process, and for every channel each time the listening
 * begins, since nobody knows what was missed before. It holds a connection, and finds another when that is lost. It is a
 * messenger only: whoever uses it also looks by the clock.
 * @param pool whose connections keep their session
 * @param lost called when the listening has ended, until it begins again
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
      log.debug({ err: error }, 'Listening to the database did not work; trying again'),
    )
    lost()
    await delay(againMs, undefined, { signal }).catch(() => {})
  }
}

/** Listens until the connection is lost or the signal comes. */
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
    // Closed, not returned to the pool, where its next user would go on listening.
    client.release(true)
  }
}
