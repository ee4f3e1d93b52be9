import { queryOptions } from '@tanstack/react-query'
import { listStudioPlans } from '#contract/studio/plans.ts'
import { call } from '#web/lib/api.ts'

/** All plans. There are too few to paginate. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => call(listStudioPlans, { signal }),
})
