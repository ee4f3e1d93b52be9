import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { getUser, type User } from '#contract/members.ts'
import { call } from '#web/lib/api.ts'
import { saveRecord, readRecord, storage } from '#web/lib/storage.ts'

/** The user of the previous visit, stored in the browser. */
export const storedUser = readRecord<User>('user')

/**
 * The user. Stored in the browser and shown at once on the next visit. The id is also stored under a key of its own
 * (seed, section 3).
 */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }) => storeUser(await call(getUser, { signal })),
  initialData: storedUser,
  initialDataUpdatedAt: 0,
})

function storeUser(user: User): User {
  storage.set('user_id', user.id)
  return saveRecord<User>('user', user)
}

/**
 * Stores the user after a sign-in, sign-out or registration. If the user has changed, refetches all data shown for the
 * previous user.
 */
export function setCurrentUser(queryClient: QueryClient, user: User): void {
  const previousUser = queryClient.getQueryData(userQuery.queryKey)
  queryClient.setQueryData(userQuery.queryKey, storeUser(user))
  if (previousUser?.id === user.id && previousUser.role === user.role) return
  // Deletes what the card form has stored for the previous user (billing/payments/remembered-payer.ts).
  if (previousUser?.id !== user.id) storage.remove('payer')
  saveRecord('recently_watched', [])
  queryClient.setQueryData(['history', 'recent'], [])
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'user' })
}
