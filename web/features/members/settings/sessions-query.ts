import { queryOptions } from '@tanstack/react-query'
import { listSessions } from '#contract/members.ts'
import { call } from '#web/lib/api.ts'

/** The member's active sessions. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call(listSessions, { signal }),
  staleTime: 0,
})
