import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '#server/platform/log.ts'
import { isStorageUnavailable } from '#server/platform/storage/storage.ts'

export interface BackoffOptions {
  firstMs: number
  maxMs: number
}

const defaultBackoff: BackoffOptions = { firstMs: 5000, maxMs: 5 * 60_000 }

/**
 * Delays between retries of an unreachable service. Each delay is twice as long as the previous one, up to a maximum.
 */
export interface ExponentialBackoff {
  /**
   * Logs the error and waits.
   * @throws the signal's reason when aborted
   */
  wait(error: unknown, signal: AbortSignal): Promise<void>
  /** Resets the delay after a success. */
  reset(): void
}

export function exponentialBackoff(
  log: Log,
  { firstMs, maxMs }: BackoffOptions = defaultBackoff,
): ExponentialBackoff {
  let ms = firstMs
  return {
    async wait(error, signal) {
      log.error({ err: error, seconds: ms / 1000 }, 'The storage is unreachable; retrying after a delay')
      await delay(ms, undefined, { signal })
      ms = Math.min(2 * ms, maxMs)
    },
    reset: () => void (ms = firstMs),
  }
}

/**
 * Retries repeatable work with exponential backoff while the storage is unreachable.
 * @throws any other error
 */
export async function retryWithBackoff<Result>(
  backoff: ExponentialBackoff,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      const result = await work()
      backoff.reset()
      return result
    } catch (error) {
      if (signal.aborted || !isStorageUnavailable(error)) throw error
      await backoff.wait(error, signal)
    }
  }
}
