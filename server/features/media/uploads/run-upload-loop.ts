import { setTimeout as delay } from 'node:timers/promises'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import type { Bell } from '#server/platform/jobs/bell.ts'
import { hasCompleteUploads } from './upload-queries.ts'
import { purgeUploads, takeNextUpload } from './take-upload.ts'

/** The polling interval while a file is waiting. */
const pollMs = 1000
/** The polling interval otherwise, for what the notification missed. */
const idleMs = 10_000
const afterErrorMs = 5000
const sweepEveryMs = 10 * 60_000

/** Processes complete uploads, beside the ingest, until the signal. The bell is rung when one arrives. */
export async function runUploadLoop(context: IngestContext, signal: AbortSignal, bell: Bell): Promise<void> {
  let sweptAt = -Infinity
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {})
  while (!signal.aborted) {
    try {
      if (performance.now() - sweptAt > sweepEveryMs) {
        sweptAt = performance.now()
        await purgeUploads(context)
      }
      const isEmpty = !(await hasCompleteUploads(context.db))
      if (isEmpty || !(await takeNextUpload(context, signal)))
        await bell.rest(isEmpty ? idleMs : pollMs, signal)
    } catch (error) {
      if (signal.aborted) return
      context.log.error({ err: error }, 'An uploaded file could not be processed; it will be tried again')
      await pause(afterErrorMs)
    }
  }
}
