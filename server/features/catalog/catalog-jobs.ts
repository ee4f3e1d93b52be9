import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { anyDueVideos } from './editing/admin-queries.ts'
import { runLabelBatches } from './editing/label-batch-job.ts'
import { hasLabelBatchJobs, labelBatchJobsChannel } from './editing/label-batch-queries.ts'
import { publishScheduledVideos } from './editing/video-states.ts'
import { assignAllTiers, refreshRanks } from './ranking/refresh-ranks.ts'

/** Returns the scheduled jobs of this feature. */
export function catalogJobs({ db, clock }: { db: Db; clock: Clock }) {
  return [
    { name: 'refresh-ranks', everySeconds: 600, run: () => refreshRanks(db, clock.now()) },
    {
      name: 'assign-search-tiers',
      everySeconds: 3600,
      run: (signal: AbortSignal) => assignAllTiers(db, signal),
    },
    {
      name: 'finish-tag-changes',
      everySeconds: 60,
      dueWhen: hasLabelBatchJobs,
      wakeOn: labelBatchJobsChannel,
      run: (signal: AbortSignal) => runLabelBatches(db, signal),
    },
    {
      name: 'publish-scheduled-videos',
      everySeconds: 10,
      dueWhen: anyDueVideos,
      run: () => publishScheduledVideos(db, clock.now()),
    },
  ]
}
