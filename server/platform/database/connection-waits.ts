import { channel } from 'node:diagnostics_channel'
import type { StatementKind } from './pipelines.ts'

/** What a statement waits for: a connection of the pool, or the earlier statements of its pipeline. */
type WaitQueue = 'pool' | StatementKind

/** A completed wait of a statement. */
interface ConnectionWait {
  queue: WaitQueue
  seconds: number
}

/**
 * The diagnostics channel to which each `ConnectionWait` is published. Without a subscriber, waits are not measured.
 */
const waits = channel('cliffhanger:connection-wait')

/** Reports how long `ready` takes, even if it fails. @returns `ready` */
export function measureWait<T>(queue: WaitQueue, ready: Promise<T>): Promise<T> {
  if (!waits.hasSubscribers) return ready
  const startedAt = performance.now()
  const report = () => {
    const wait: ConnectionWait = { queue, seconds: (performance.now() - startedAt) / 1000 }
    waits.publish(wait)
  }
  ready.then(report, report)
  return ready
}

/** Calls `observe` for each wait in this process. @returns a function that stops this */
export function observeWaits(observe: (wait: ConnectionWait) => void): () => void {
  // The cast is safe: only `measureWait` publishes in this channel.
  const onMessage = (message: unknown) => observe(message as ConnectionWait)
  waits.subscribe(onMessage)
  return () => waits.unsubscribe(onMessage)
}
