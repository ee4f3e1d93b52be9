import type { Context } from '#server/context.ts'
import { selectQueueAges } from '#server/platform/jobs/claim-jobs.ts'
import { scheduledJobs } from '#server/scheduled-jobs.ts'
import type { DatabaseGauge } from './metrics-queries.ts'

/**
 * Creates the gauge of how long scheduled jobs have been due. It checks the same conditions (`dueWhen`) as the workers.
 */
export function jobQueueAge(context: Context): DatabaseGauge {
  const jobs = scheduledJobs(context)
  return {
    help: 'Time since a scheduled job became due, or since it began to fail; 0 if the job is not due or has nothing to do',
    labelNames: ['job'],
    async read(_db, now) {
      const ages = await selectQueueAges(context.database.pool, jobs, now)
      return ages.map(({ job, seconds }) => ({ labels: { job }, value: seconds }))
    },
  }
}
