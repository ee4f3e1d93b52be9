import { setTimeout as delay } from 'node:timers/promises'

/** Wakes a loop that waits for work. */
export interface Bell {
  /** Wakes the loop. If it is not resting, its next rest ends at once. */
  ring(): void
  /** Waits for `ms` milliseconds, until `ring`, or until the signal. */
  rest(ms: number, signal: AbortSignal): Promise<void>
}

export function createBell(): Bell {
  let rung = new AbortController()
  return {
    ring: () => rung.abort(),
    async rest(ms, signal) {
      await delay(ms, undefined, { signal: AbortSignal.any([signal, rung.signal]) }).catch(() => {})
      if (rung.signal.aborted) rung = new AbortController()
    },
  }
}
