import { queryOptions } from '@tanstack/react-query'
import { getAlerts } from '#contract/alerts.ts'
import { call } from '#web/lib/api.ts'

/** Whether new episodes of favorites are sent to the viewer. */
export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: ({ signal }) => call(getAlerts, { signal }),
})
