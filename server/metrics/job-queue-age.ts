import type { Context } from '#server/context.ts'
import { selectQueueAges } from '#server/platform/jobs/claim-jobs.ts'
import { scheduledJobs } from '#server/scheduled-jobs.ts'
import type { DatabaseGauge } from './metrics-queries.ts'

/**
 * Creates the gauge of how long the due runs of scheduled jobs wait. It uses the conditions by which workers find work.
 */
export function jobQueueAge(context: Context): DatabaseGauge {
  const jobs = scheduledJobs(context)
  return {
    help: 'How long the due run of a scheduled job has waited, or has failed; 0 if the job has nothing to do',
    labelNames: ['job'],
    async read(_db, now) {
      const ages = await selectQueueAges(context.database.pool, jobs, now)
      return ages.map(({ job, seconds }) => ({ labels: { job }, value: seconds }))
    },
  }
}
