import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { getUser, type User } from '#contract/members.ts'
import { call } from '#web/lib/api.ts'
import { saveRecord, readRecord, storage } from '#web/lib/storage.ts'

/** Who was here when the page loaded, as the visit before it kept them. */
export const userAtLoad = readRecord<User>('user')

/** The user, kept between visits and shown at once on the next one; the id is kept under a key of its own too (seed, section 3). */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }) => storeUser(await call(getUser, { signal })),
  initialData: userAtLoad,
  initialDataUpdatedAt: 0,
})

function storeUser(user: User): User {
  storage.set('user_id', user.id)
  return saveRecord<User>('user', user)
}

/** Somebody else is here now (signed in, signed out, registered): what was shown for the one before is asked for again. */
export function rememberUser(queryClient: QueryClient, user: User): void {
  const before = queryClient.getQueryData(userQuery.queryKey)
  queryClient.setQueryData(userQuery.queryKey, storeUser(user))
  if (before?.id === user.id && before.role === user.role) return
  // What the card form remembers of the person before (billing/remembered-payer.ts).
  if (before?.id !== user.id) storage.remove('payer')
  saveRecord('recently_watched', [])
  queryClient.setQueryData(['history', 'recent'], [])
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'user' })
}
