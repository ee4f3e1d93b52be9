import { queryOptions, type Query, type QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { CommandEndpoint } from '#contract/studio/command.ts'
import { getStudioSession, type StudioSession } from '#contract/studio/operators.ts'
import { call, CallRejected, onRefusal } from '#web/lib/api.ts'

/** The code of a refusal for want of a session (contract/errors.ts). */
const signInFirst = 401

/** Whether a call was refused because the session has ended. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof CallRejected && error.code === signInFirst

/** The operator who is signed in; null if none is. */
export const operatorSessionQuery = queryOptions({
  queryKey: ['desk'],
  queryFn: ({ signal }) =>
    call(getStudioSession, { signal }).catch((error: unknown) => {
      if (isSignedOut(error)) return null
      throw error
    }),
  staleTime: 60_000,
})

/** Whatever is refused because the session has ended, it shows at once who is signed in. */
export function watchSession(queryClient: QueryClient): void {
  onRefusal((code, { path }) => {
    // The session's own calls say themselves who is.
    if (code === signInFirst && path !== getStudioSession.path)
      void queryClient.invalidateQueries({ queryKey: operatorSessionQuery.queryKey })
  })
}

/** All that is known beside who is signed in: what the pages show. */
export const shown = { predicate: ({ queryKey }: Query) => queryKey[0] !== operatorSessionQuery.queryKey[0] }

/**
 * The desk of whoever is signed in, from the shell. A screen that asked the query itself could be drawn once more after a
 * sign-out, before the shell takes it away.
 */
export const OperatorSessionContext = createContext<StudioSession | null>(null)

/** The same, for every screen within the shell. */
export function useOperatorSession(): StudioSession {
  const desk = useContext(OperatorSessionContext)
  if (!desk) throw new Error('nobody is signed in to the studio')
  return desk
}

/** Whether the operator's role allows a command; the server decides it again. */
export function useMay(): (command: Pick<CommandEndpoint, 'roles'>) => boolean {
  const { role } = useOperatorSession().operator
  return ({ roles }) => roles.includes(role)
}

/** Whether a page does not exist: there is no such record, or the role may not see it. */
export const isNoPage = (error: unknown): boolean =>
  error instanceof CallRejected && (error.code === 403 || error.code === 404)
