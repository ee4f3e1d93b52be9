import { setTimeout as delay } from 'node:timers/promises'

/** A wake signal for a loop that waits for work. */
export interface WakeSignal {
  /** Wakes the loop. If it is not waiting, its next wait ends at once. */
  wake(): void
  /** Waits for `ms` milliseconds, or until `wake` or the abort signal. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export function createWakeSignal(): WakeSignal {
  let woken = new AbortController()
  return {
    wake: () => woken.abort(),
    async sleep(ms, signal) {
      await delay(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => {})
      if (woken.signal.aborted) woken = new AbortController()
    },
  }
}
