import { uploadBatchLimits } from '#contract/studio/upload-batch-limits.ts'
import type { AnnouncedFile } from '#contract/studio/uploads.ts'

/** Bytes of the request body in addition to the files and the commas between them. */
const envelopeBytes = 256
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length + 1

/** Splits files into as few batches as the server's limits per call allow; usually one. */
export function splitIntoBatches<Job>(jobs: readonly Job[], plannedOf: (job: Job) => AnnouncedFile): Job[][] {
  const batches: Job[][] = []
  let remainingBytes = 0
  for (const job of jobs) {
    const bytes = bytesOf(plannedOf(job))
    const last = batches.at(-1)
    remainingBytes -= bytes
    if (last && last.length < uploadBatchLimits.files && remainingBytes >= 0) last.push(job)
    else {
      batches.push([job])
      remainingBytes = uploadBatchLimits.bytes - envelopeBytes - bytes
    }
  }
  return batches
}
