import { useQueryClient } from '@tanstack/react-query'
import type { BodyOf } from '#contract/endpoint.ts'
import { changeUser } from '#contract/members.ts'
import { call } from '#web/lib/api.ts'
import { setCurrentUser } from '#web/features/members/queries.ts'

/** Returns a function that changes the user's data on the server and updates the screens. */
export function useChangeUser(): (change: BodyOf<typeof changeUser>) => Promise<void> {
  const queryClient = useQueryClient()
  return async (change) => setCurrentUser(queryClient, await call(changeUser, { body: change }))
}
