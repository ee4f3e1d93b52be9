import { planLimits } from '#contract/studio/plan-limits.ts'
import type { PlannedFile } from '#contract/studio/uploads.ts'

/** The rest of a body beside its files, and the commas between them. */
const aroundBytes = 256
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length + 1

/** Cuts files into as few plans as the server takes by a call each; nearly always it is one. */
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
