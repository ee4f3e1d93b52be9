import { queryOptions } from '@tanstack/react-query'
import { listSocialProviders } from '#contract/social.ts'
import { call } from '#web/lib/api.ts'

/** The offered social providers and the member's linked accounts. */
export const socialProvidersQuery = queryOptions({
  queryKey: ['social'],
  queryFn: ({ signal }) => call(listSocialProviders, { signal }),
  staleTime: Infinity,
})
