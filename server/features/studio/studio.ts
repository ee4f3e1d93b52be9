import type { BytesRoute } from '#server/platform/http/route.ts'
import type { Job } from '#server/platform/jobs/jobs.ts'
import { auditCommands } from './list-audit-log.ts'
import type { Command } from './define-command.ts'
import { videoYamlCommands } from './content/video-yaml.ts'
import { episodeCommands } from './content/episodes.ts'
import { labelCommands } from './content/tags-and-categories.ts'
import { contentUploadRoutes } from './content/upload-routes.ts'
import { uploadCommands } from './content/uploads.ts'
import { videoCommands } from './content/videos.ts'
import { dropOffCommands } from './funnel/drop-off.ts'
import { hasUncountedFunnelSql, aggregateFunnel } from './funnel/aggregate-funnel.ts'
import { verifyAggregates } from './funnel/verify-aggregates.ts'
import { funnelCommands } from './funnel/funnel.ts'
import { experimentCommands } from './experiments/experiments.ts'
import { homepageCommands } from './homepage/homepage.ts'
import { revenueCommands } from './analytics/revenue.ts'
import { iconCommands, iconRoutes } from './site-icon.ts'
import { campaignLinkCommands } from './analytics/campaign-links.ts'
import { purgeOperatorSessions } from './operators/operator-sessions.ts'
import { operatorCommands } from './operators/operators.ts'
import { orderCommands } from './orders.ts'
import { customerCommands } from './customers.ts'
import { planCommands } from './plans.ts'
import { systemCommands, systemJobs } from './system/system.ts'
import { setupGuideCommands } from './setup-guide.ts'
import { settingsCommands } from './settings/settings.ts'
import type { StudioContext } from './studio-context.ts'
import { pageTextCommands } from './page-texts.ts'
import { topUpCommands } from './top-ups.ts'

export { runCommand, type Command } from './define-command.ts'
export { hasOperators } from './operators/operator-queries.ts'
export { findOperator } from './operators/operator-sessions.ts'
export type { StudioContext } from './studio-context.ts'

/** All commands of the studio. The pages in /studio and `npm run studio` offer exactly these. */
export const studioCommands: readonly Command[] = [
  ...operatorCommands,
  ...auditCommands,
  ...orderCommands,
  ...customerCommands,
  ...planCommands,
  ...topUpCommands,
  ...videoCommands,
  ...videoYamlCommands,
  ...episodeCommands,
  ...labelCommands,
  ...uploadCommands,
  ...systemCommands,
  ...settingsCommands,
  ...homepageCommands,
  ...pageTextCommands,
  ...iconCommands,
  ...revenueCommands,
  ...funnelCommands,
  ...dropOffCommands,
  ...experimentCommands,
  ...campaignLinkCommands,
  ...setupGuideCommands,
]

/**
 * Returns the routes that receive bytes. Uploads are not commands, because the input of a command consists of query and
 * body parameters.
 */
export function studioUploadRoutes(context: StudioContext): BytesRoute[] {
  return [...contentUploadRoutes(context), ...iconRoutes(context)]
}

/**
 * Returns the studio's scheduled jobs. They delete expired operator sessions, aggregate the funnel, verify its sums,
 * and check the health of the site's components.
 */
export function studioJobs(context: StudioContext): Job[] {
  const { db, realClock } = context
  return [
    {
      name: 'purge-operator-sessions',
      everySeconds: 600,
      run: () => purgeOperatorSessions(db, realClock.now()),
    },
    {
      name: 'aggregate-funnel',
      everySeconds: 30,
      dueWhen: hasUncountedFunnelSql,
      run: (signal: AbortSignal) => aggregateFunnel(db, signal),
    },
    { name: 'verify-aggregates', everySeconds: 3600, run: () => verifyAggregates(context) },
    ...systemJobs(context),
  ]
}
