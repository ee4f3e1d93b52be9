import { setTimeout as delay } from 'node:timers/promises'
import type { IngestContext } from '#server/features/media/ingest/work-queue.ts'
import { sweepUploads, takeNextUpload } from './take-upload.ts'

const pollMs = 1000
const afterErrorMs = 5000
const sweepEveryMs = 10 * 60_000

/** Takes the files that came in whole, beside whatever is being made, until the signal. */
export async function runUploadLoop(context: IngestContext, signal: AbortSignal): Promise<void> {
  let sweptAt = -Infinity
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {})
  while (!signal.aborted) {
    try {
      if (performance.now() - sweptAt > sweepEveryMs) {
        sweptAt = performance.now()
        await sweepUploads(context)
      }
      if (!(await takeNextUpload(context, signal))) await pause(pollMs)
    } catch (error) {
      if (signal.aborted) return
      context.log.error({ err: error }, 'A file that came in could not be taken; it will be tried again')
      await pause(afterErrorMs)
    }
  }
}
