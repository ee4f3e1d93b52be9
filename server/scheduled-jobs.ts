import type { Context } from '#server/context.ts'
import { alertJobs } from '#server/features/alerts/alerts.ts'
import { billingJobs } from '#server/features/billing/billing.ts'
import { catalogJobs } from '#server/features/catalog/catalog.ts'
import { libraryJobs, recommendationJobs } from '#server/features/library/library.ts'
import { mediaJobs } from '#server/features/media/media.ts'
import { membersJobs } from '#server/features/members/members.ts'
import { studioJobs } from '#server/features/studio/studio.ts'
import { trackingJobs } from '#server/features/tracking/tracking.ts'
import type { Job } from '#server/platform/jobs/jobs.ts'
import { mailJobs } from '#server/platform/mail/send-mails.ts'

/** The scheduled jobs of all features. */
export function scheduledJobs(context: Context): Job[] {
  return [
    ...catalogJobs(context),
    ...libraryJobs(context),
    ...recommendationJobs(context),
    ...mediaJobs(context),
    ...billingJobs(context),
    ...trackingJobs(context),
    ...membersJobs(context),
    ...alertJobs(context),
    ...mailJobs(context),
    ...studioJobs(context),
  ]
}
