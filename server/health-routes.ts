import { getHealth, getReady } from '#contract/health.ts'
import { Fault } from '#contract/errors.ts'
import type { Context } from '#server/context.ts'
import { maintenanceDetail } from '#server/platform/http/maintenance-mode.ts'
import { route, type Route } from '#server/platform/http/route.ts'

/**
 * The health checks for load balancers and container platforms: whether the process is alive, and whether it can answer
 * calls.
 */
export function healthRoutes({ database }: Context, isStopping: () => boolean): Route[] {
  return [
    route(getHealth, async () => ({ info: { alive: true } })),
    route(getReady, async () => {
      if (isStopping()) throw new Fault('unavailable', maintenanceDetail, 5)
      const ready = await database.pool.query('SELECT 1').then(
        () => true,
        () => false,
      )
      if (!ready) throw new Fault('unavailable', undefined, 5)
      return { info: { ready } }
    }),
  ]
}
