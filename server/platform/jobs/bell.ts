import { setTimeout as delay } from 'node:timers/promises'

/** A wake signal for a loop that waits for work. */
export interface Bell {
  /** Wakes the loop. If it is not waiting, its next wait ends at once. */
  ring(): void
  /** Waits for `ms` milliseconds, or until `ring` or the abort signal. */
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
