import { queryOptions } from '@tanstack/react-query'
import { listSocialProviders } from '#contract/social.ts'
import { call } from '#web/lib/api.ts'

/** The social providers that can be signed in with, and what of the member is linked. */
export const socialProvidersQuery = queryOptions({
  queryKey: ['social'],
  queryFn: ({ signal }) => call(listSocialProviders, { signal }),
  staleTime: Infinity,
})
