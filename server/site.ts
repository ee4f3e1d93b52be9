import type { FastifyInstance } from 'fastify'
import { languages } from '#contract/languages.ts'
import type { Context } from '#server/context.ts'
import { healthRoutes } from './health-routes.ts'
import { alertPlainRoutes, alertRoutes } from '#server/features/alerts/routes.ts'
import { billingPlainRoutes, billingRoutes } from '#server/features/billing/routes.ts'
import { catalogRoutes } from '#server/features/catalog/routes.ts'
import { libraryRoutes } from '#server/features/library/routes.ts'
import { deliveryRoutes, mediaRoutes } from '#server/features/media/routes.ts'
import { selectLanguage } from './features/members/sessions/language-queries.ts'
import { identify } from '#server/features/members/members.ts'
import { createViewerCache } from './features/members/sessions/viewer-cache.ts'
import { credentialRoutes } from './features/members/credentials/credential-routes.ts'
import { membersRoutes } from '#server/features/members/routes.ts'
import { socialPlainRoutes, socialRoutes } from '#server/features/members/social/routes.ts'
import { renderMaintenancePage } from '#server/features/pages/maintenance-page.ts'
import { pageApiRoutes } from '#server/features/pages/page-api-routes.ts'
import { pagesRoutes } from '#server/features/pages/routes.ts'
import { studioUploadRoutes } from '#server/features/studio/studio.ts'
import { studioPlainRoutes, studioRoutes } from '#server/features/studio/routes.ts'
import { findOperator } from '#server/features/studio/studio.ts'
import { beaconRoutes, trackingRoutes } from '#server/features/tracking/routes.ts'
import { openAnnouncements } from './platform/database/announcements.ts'
import { shareCallCounts } from './platform/database/share-call-counts.ts'
import { createHttpServer } from '#server/platform/http/server.ts'
import type { SiteMetrics } from '#server/metrics/create-metrics.ts'

interface SiteOptions {
  /** Returns whether the process is shutting down. The readiness check then fails. */
  isStopping?: () => boolean
  metrics?: SiteMetrics | undefined
}

/** Creates the HTTP server of the site on a context, without listening. */
export async function createSite(context: Context, options: SiteOptions = {}): Promise<FastifyInstance> {
  const { isStopping = () => false, metrics } = options
  await Promise.all(context.gateways.map((gateway) => gateway.prepare?.()))
  const { clock, log, isHttps, database } = context
  const viewerCache = createViewerCache({ clock, isHttps, announcementsArrive: () => announcements.arrive() })
  const listeners = [viewerCache.listener, context.catalogueChanges.listener]
  const announcements = openAnnouncements({ ...database, log, listeners })
  context.saves.countPlaysOnStop()
  await context.catalogueChanges.rely(() => announcements.arrive())
  const site = await createHttpServer({
    log: context.log,
    clock: context.clock,
    limits: context.limits,
    shareCalls: (counted) => shareCallCounts(context.database.pool, counted, context.clock.now()),
    publicUrl: context.config.publicUrl,
    trustProxy: context.config.trustProxy,
    resourceLimits: context.resourceLimits,
    identify: (request) => viewerCache.identifyAndCache(request, () => identify(context, request)),
    identifyFromMemory: (request) => viewerCache.get(request),
    forgetViewer: ({ userId }) => viewerCache.evict(userId),
    identifyOperator: (request) => findOperator(context, request),
    offeredLanguages: (url) => (isForOperators(url) ? languages : context.languages()),
    storedLanguage: (viewer) => selectLanguage(context.db, viewer.userId),
    translate: context.translate,
    logCalls: context.config.production,
    ...(metrics ? { observeCall: metrics.observeCall, observeRefusal: metrics.observeRefusal } : {}),
    routes: [
      ...healthRoutes(context, isStopping),
      ...membersRoutes(context),
      ...credentialRoutes(context),
      ...socialRoutes(context),
      ...catalogRoutes(context),
      ...libraryRoutes(context),
      ...alertRoutes(context),
      ...mediaRoutes(context),
      ...billingRoutes(context),
      ...trackingRoutes(context),
      ...pageApiRoutes(context),
    ],
    maintenanceMode: {
      isEnabled: () => context.settings.maintenance,
      isExempt: async (request) => (await findOperator(context, request)) !== null,
      page: (language) => renderMaintenancePage(context, language),
    },
    operatorRoutes: studioRoutes(context),
    bytesRoutes: studioUploadRoutes(context),
    plainRoutes: [
      ...beaconRoutes({ ...context, ...(metrics ? { countEvent: metrics.countEvent } : {}) }),
      ...deliveryRoutes(context),
      ...socialPlainRoutes(context),
      ...alertPlainRoutes(context),
      ...billingPlainRoutes(context),
      ...context.gatewayRoutes,
      ...studioPlainRoutes(context),
      ...pagesRoutes(context),
    ],
  })
  site.addHook('onClose', () => announcements.stop())
  return site
}

/** The studio has its own languages, independent of those offered to viewers. */
const isForOperators = (url: string) => /^(\/api)?\/studio(?=[/?]|$)/.test(url)
