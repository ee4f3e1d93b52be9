import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import { isApiRoute } from './request-guards.ts'

/** Maintenance mode: whether the site is closed, and who may still use it. */
export interface MaintenanceMode {
  isEnabled(): boolean
  /** Returns whether the caller may use the closed site: operators may. */
  isExempt(request: FastifyRequest): Promise<boolean>
  /** Renders a self-contained document, without scripts or external resources. */
  page(language: Language): string
}

const retrySeconds = 120
/**
 * The detail of the fault with which a closed site refuses calls. Such a fault is not an error, so it is not logged. A
 * process that is shutting down also uses this detail.
 */
export const maintenanceDetail = 'the site is closed for viewers'

/** Routes that stay open: the studio, webhook events, health checks, and files that already opened pages load. */
const openRoutes =
  /^\/(studio|media|public|assets)(\/|$)|^\/api\/(studio|webhook|health|ready|openapi\.json)(\/|$)|^\/(favicon\.svg|robots\.txt|sw\.js)$/

const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'"

/**
 * Enforces maintenance mode: viewers' API calls fail with Fault unavailable, and other requests get the maintenance
 * page. Both responses have Retry-After. Operators see the whole site.
 */
export function enforceMaintenanceMode(
  app: FastifyInstance,
  mode: MaintenanceMode,
  languageOf: (request: FastifyRequest) => Language,
): void {
  app.addHook('onRoute', (route) => {
    if (openRoutes.test(route.url)) return
    const turnAway = isApiRoute(route) ? refuse : sendMaintenancePage
    route.onRequest = [
      (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
        if (!mode.isEnabled()) return done()
        mode.isExempt(request).then(
          (isExempt) => (isExempt ? done() : turnAway(reply, request, done)),
          () => turnAway(reply, request, done),
        )
      },
      route.onRequest ?? [],
    ].flat()
  })

  function refuse(_reply: FastifyReply, _request: FastifyRequest, done: (error?: Error) => void): void {
    done(new Fault('unavailable', maintenanceDetail, retrySeconds))
  }

  function sendMaintenancePage(reply: FastifyReply, request: FastifyRequest): void {
    void reply
      .code(503)
      .header('retry-after', String(retrySeconds))
      .header('cache-control', 'no-store')
      .header('content-security-policy', pagePolicy)
      .type('text/html; charset=utf-8')
      .send(mode.page(languageOf(request)))
  }
}
