import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { signOut as signOutCall } from '#contract/members.ts'
import { call } from '#web/lib/api.ts'
import { setCurrentUser } from '#web/features/members/queries.ts'

/** Ends push notifications in this browser; errors are ignored. */
const unsubscribePush = () =>
  import('#web/features/alerts/push/push.ts').then(({ unsubscribe }) => unsubscribe()).catch(() => {})

/**
 * Returns a function that ends the session and clears the user's data from the screen. If the call fails, a toast has
 * shown the error.
 */
export function useSignOut(): { signOut: () => Promise<void>; busy: boolean } {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const signOut = () => {
    setBusy(true)
    return call(signOutCall)
      .then((guest) => {
        void unsubscribePush()
        return setCurrentUser(queryClient, guest)
      })
      .catch(() => {})
      .finally(() => setBusy(false))
  }
  return { signOut, busy }
}
