import { setTimeout as delay } from 'node:timers/promises'
import type { WakeSignal } from '#server/platform/jobs/wake-signal.ts'
import { requeueAbandoned } from './asset-states.ts'
import {
  exponentialBackoff,
  retryWithBackoff,
} from '#server/features/media/ingest/files/exponential-backoff.ts'
import { hasOpenAssets } from '#server/features/media/ingest/asset-queries.ts'
import { purgeStorage } from '#server/features/media/ingest/storage/purge-storage.ts'
import { purgeWorkFolders } from '#server/platform/storage/work-folder.ts'
import { processNextAsset, type WorkOptions } from './ingest-queue.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

/** Poll interval while the queue is not empty. */
const pollMs = 1000
/** Poll interval while the queue is empty, in case the wake signal was missed. */
const idleMs = 60_000
const afterErrorMs = 5000
const purgeEveryMs = 10 * 60_000

interface LoopOptions extends WorkOptions {
  /** Signalled when an asset is queued. */
  wakeSignal: WakeSignal
}

/** Processes the queue, one asset at a time, until `signal` aborts. The current asset is then requeued. */
export async function runIngestLoop(context: IngestContext, options: LoopOptions): Promise<void> {
  const { signal, wakeSignal } = options
  const backoff = exponentialBackoff(context.log, options.backoff)
  let purgedAt = -Infinity
  while (!signal.aborted) {
    try {
      if (performance.now() - purgedAt > purgeEveryMs) {
        purgedAt = performance.now()
        await purgeWorkFolders(context.storage)
        await purgeUnusedFiles(context)
      }
      const isEmpty = !(await hasOpenAssets(context.db))
      const processedId = isEmpty ? undefined : await processOnce(context, options, backoff)
      if (processedId === undefined) await wakeSignal.sleep(isEmpty ? idleMs : pollMs, signal)
    } catch (error) {
      if (signal.aborted) return
      context.log.error({ err: error }, 'An episode could not be converted; it will be retried')
      await pause(afterErrorMs, signal)
    }
  }
}

async function processOnce(
  context: IngestContext,
  options: WorkOptions,
  backoff: ReturnType<typeof exponentialBackoff>,
): Promise<string | undefined> {
  await requeueAbandoned(context.db)
  return retryWithBackoff(backoff, options.signal, () => processNextAsset(context, options))
}

/** Deletes unused files. A failed deletion is retried the next time and does not stop conversion. */
async function purgeUnusedFiles(context: IngestContext): Promise<void> {
  await purgeStorage(context).catch((error: unknown) =>
    context.log.error({ err: error }, 'Unused files could not be deleted'),
  )
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
