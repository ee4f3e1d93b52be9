import { planLimits } from '#contract/studio/plan-limits.ts'
import type { PlannedFile } from '#contract/studio/uploads.ts'

/** Bytes of the body besides its files and the commas between them. */
const aroundBytes = 256
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length + 1

/** Splits files into as few batches as the server's limits per call allow, usually one. */
export function uploadBatches<Job>(jobs: readonly Job[], plannedOf: (job: Job) => PlannedFile): Job[][] {
  const plans: Job[][] = []
  let room = 0
  for (const job of jobs) {
    const bytes = bytesOf(plannedOf(job))
    const last = plans.at(-1)
    room -= bytes
    if (last && last.length < planLimits.files && room >= 0) last.push(job)
    else {
      plans.push([job])
      room = planLimits.bytes - aroundBytes - bytes
    }
  }
  return plans
}
