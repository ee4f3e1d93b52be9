import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { signOut as signOutCall } from '#contract/members.ts'
import { call } from '#web/lib/api.ts'
import { rememberUser } from '#web/features/members/queries.ts'

/** Whoever has signed out is not notified in this browser any more. */
const endNotifications = () =>
  import('#web/features/alerts/push/push.ts').then(({ unsubscribe }) => unsubscribe()).catch(() => {})

/** Ends the session; what belonged to the person leaves the screen with it. A failure has been said by the toast. */
export function useSignOut(): { signOut: () => Promise<void>; busy: boolean } {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const signOut = () => {
    setBusy(true)
    return call(signOutCall)
      .then((guest) => {
        void endNotifications()
        return rememberUser(queryClient, guest)
      })
      .catch(() => {})
      .finally(() => setBusy(false))
  }
  return { signOut, busy }
}
