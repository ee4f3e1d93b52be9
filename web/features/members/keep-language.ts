import type { QueryClient } from '@tanstack/react-query'
import type { Language } from '#contract/languages.ts'
import { changeUser } from '#contract/members.ts'
import { call } from '#web/lib/api.ts'
import { rememberUser, userQuery } from './queries.ts'

/** Keeps the language with whoever something is kept of: our mails speak it. */
export async function keepLanguage(queryClient: QueryClient, language: Language): Promise<void> {
  const user = queryClient.getQueryData(userQuery.queryKey)
  // A guest of whom nothing is kept has no code yet.
  if (!user?.referral_code) return
  rememberUser(queryClient, await call(changeUser, { body: { language } }))
}
