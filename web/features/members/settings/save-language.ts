import type { QueryClient } from '@tanstack/react-query'
import type { Language } from '#contract/languages.ts'
import { changeUser } from '#contract/members.ts'
import { call } from '#web/lib/api.ts'
import { setCurrentUser, userQuery } from '#web/features/members/queries.ts'

/** Stores the interface language on the server, for mails. Does nothing for guests who are not stored on the server. */
export async function saveLanguage(queryClient: QueryClient, language: Language): Promise<void> {
  const user = queryClient.getQueryData(userQuery.queryKey)
  // Without a referral code, the user is a guest who is not stored on the server.
  if (!user?.referral_code) return
  setCurrentUser(queryClient, await call(changeUser, { body: { language } }))
}
