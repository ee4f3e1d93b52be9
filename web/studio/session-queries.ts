import { queryOptions, type Query, type QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { CommandEndpoint } from '#contract/studio/command.ts'
import { getStudioSession, type StudioSession } from '#contract/studio/operators.ts'
import { isAllowed } from '#contract/studio/roles.ts'
import { call, ApiError, onApiError } from '#web/lib/api.ts'

/** The error code for a call without a valid session (contract/errors.ts). */
const unauthenticatedCode = 401

/** Returns whether a call was rejected because the session has expired. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.code === unauthenticatedCode

/** The session of the signed-in operator; null if nobody is signed in. */
export const operatorSessionQuery = queryOptions({
  queryKey: ['studio session'],
  queryFn: ({ signal }) =>
    call(getStudioSession, { signal }).catch((error: unknown) => {
      if (isSignedOut(error)) return null
      throw error
    }),
  staleTime: 60_000,
})

/** Refetches the session after every call that was rejected because the session has expired. */
export function watchSession(queryClient: QueryClient): void {
  onApiError((code, { path }) => {
    // The calls that read, open and close the session update the query themselves.
    if (code === unauthenticatedCode && path !== getStudioSession.path)
      void queryClient.invalidateQueries({ queryKey: operatorSessionQuery.queryKey })
  })
}

/** Matches all queries except the session. */
export const allButSession = {
  predicate: ({ queryKey }: Query) => queryKey[0] !== operatorSessionQuery.queryKey[0],
}

/**
 * The operator's session, provided by the shell. Screens use it instead of the query: with the query, a screen could
 * render once more after a sign-out, before the shell removes it.
 */
export const OperatorSessionContext = createContext<StudioSession | null>(null)

/** Returns the operator's session. Works only inside the shell. */
export function useOperatorSession(): StudioSession {
  const session = useContext(OperatorSessionContext)
  if (!session) throw new Error('no operator is signed in to the studio')
  return session
}

/** Returns a function that tells whether the operator's role allows a command. The server checks this again. */
export function usePermissions(): (command: Pick<CommandEndpoint, 'roles'>) => boolean {
  const { role } = useOperatorSession().operator
  return (command) => isAllowed(role, command)
}

/** Returns whether a page cannot be shown because the record does not exist or the role may not see it. */
export const isNotFoundOrForbidden = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 403 || error.code === 404)
