import { queryOptions } from '@tanstack/react-query'
import { getUser, type User } from '#contract/members.ts'
import { call } from '#web/lib/api.ts'
import { keep, kept, storage } from '#web/lib/storage.ts'

/** The user, kept between visits and shown at once on the next one; the id is kept under a key of its own too (seed, section 3). */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }) => {
    const user = await call(getUser, { signal })
    storage.set('user_id', user.id)
    return keep<User>('user', user)
  },
  initialData: () => kept<User>('user'),
  initialDataUpdatedAt: 0,
})
