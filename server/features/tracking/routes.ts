import { getReports, trackingKeys } from '#contract/tracking.ts'
import { route, type PlainRoute, type Route } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { selectTrackingSettings } from './queries.ts'

export function trackingRoutes({ db }: { db: Db }): Route[] {
  return [
    route(getReports, async () => {
      const values = await selectTrackingSettings(db)
      const list = trackingKeys.map((config_key) => ({ config_key, config_value: values[config_key] ?? '' }))
      return { data: { list, next_cursor: null } }
    }),
  ]
}

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

/** The beacon's picture. */
export const beaconRoutes: PlainRoute[] = [
  {
    method: 'GET',
    path: '/api/statics.png',
    handle: (_request, reply) => reply.type('image/png').header('cache-control', 'no-store').send(pixel),
  },
]
