import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import { isForApi } from './guards.ts'

/** Maintenance mode: whether the site is closed, and for whom not. */
export interface MaintenanceMode {
  isClosed(): boolean
  /** Whether the caller may use the closed site: operators may. */
  isLetIn(request: FastifyRequest): Promise<boolean>
  /** A self-contained document: no script, nothing to load. */
  page(language: Language): string
}

const retrySeconds = 120
/** The reason of such a fault, which is no failure and is not logged. A process that is about to end gives it too. */
export const closedDetail = 'the site is closed for viewers'

/**
 * What still works: the operators' studio, webhook events, health checks, and the files of pages that are already open.
 * Everything else is a viewer's.
 */
const goesOn =
  /^\/(studio|media|public|assets)(\/|$)|^\/api\/(studio|webhook|health|ready|openapi\.json)(\/|$)|^\/(favicon\.svg|robots\.txt|sw\.js)$/

const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'"

/**
 * While the sign is out, calls of viewers get Fault unavailable and documents the sign's page, both with Retry-After. Whoever is let
 * in has the whole site, as it will be.
 */
export function enforceMaintenanceMode(
  app: FastifyInstance,
  sign: MaintenanceMode,
  languageOf: (request: FastifyRequest) => Language,
): void {
  app.addHook('onRoute', (route) => {
    if (goesOn.test(route.url)) return
    const turnAway = isForApi(route) ? refuse : show
    route.onRequest = [
      (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
        if (!sign.isClosed()) return done()
        sign.isLetIn(request).then(
          (isLetIn) => (isLetIn ? done() : turnAway(reply, request, done)),
          () => turnAway(reply, request, done),
        )
      },
      route.onRequest ?? [],
    ].flat()
  })

  function refuse(_reply: FastifyReply, _request: FastifyRequest, done: (error?: Error) => void): void {
    done(new Fault('unavailable', closedDetail, retrySeconds))
  }

  function show(reply: FastifyReply, request: FastifyRequest): void {
    void reply
      .code(503)
      .header('retry-after', String(retrySeconds))
      .header('cache-control', 'no-store')
      .header('content-security-policy', pagePolicy)
      .type('text/html; charset=utf-8')
      .send(sign.page(languageOf(request)))
  }
}
