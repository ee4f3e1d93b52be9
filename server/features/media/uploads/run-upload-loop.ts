import { setTimeout as delay } from 'node:timers/promises'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import type { WakeSignal } from '#server/platform/jobs/wake-signal.ts'
import { hasCompleteUploads } from './upload-queries.ts'
import { purgeUploads, processNextUpload } from './process-upload.ts'

/** Poll interval while a file waits. */
const pollMs = 1000
/** Poll interval while no file waits, in case the wake signal was missed. */
const idleMs = 60_000
const afterErrorMs = 5000
const purgeEveryMs = 10 * 60_000

/**
 * Processes completed uploads until `signal` aborts, in parallel with conversions. The wake signal announces a
 * completed upload.
 */
export async function runUploadLoop(
  context: IngestContext,
  signal: AbortSignal,
  wakeSignal: WakeSignal,
): Promise<void> {
  let purgedAt = -Infinity
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {})
  while (!signal.aborted) {
    try {
      if (performance.now() - purgedAt > purgeEveryMs) {
        purgedAt = performance.now()
        await purgeUploads(context)
      }
      const isEmpty = !(await hasCompleteUploads(context.db))
      if (isEmpty || !(await processNextUpload(context, signal)))
        await wakeSignal.sleep(isEmpty ? idleMs : pollMs, signal)
    } catch (error) {
      if (signal.aborted) return
      context.log.error({ err: error }, 'An uploaded file could not be processed; it will be retried')
      await pause(afterErrorMs)
    }
  }
}
