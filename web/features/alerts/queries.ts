import { queryOptions } from '@tanstack/react-query'
import { getAlerts } from '#contract/alerts.ts'
import { call } from '#web/lib/api.ts'

/** The viewer's alert settings. */
export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: ({ signal }) => call(getAlerts, { signal }),
})
