import { queryOptions } from '@tanstack/react-query'
import { getReports } from '#contract/tracking.ts'
import { call } from '#web/lib/api.ts'

/** The tracking settings. */
export const reportsQuery = queryOptions({
  queryKey: ['reports'],
  queryFn: ({ signal }) => call(getReports, { signal }),
  staleTime: Infinity,
})
