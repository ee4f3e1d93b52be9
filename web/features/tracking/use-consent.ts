import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { changeUser, type User } from '#contract/members.ts'
import { rememberUser, userQuery } from '#web/features/members/queries.ts'
import { call } from '#web/lib/api.ts'
import { answerConsent, consentAnswer, onConsent } from '#web/lib/tracking/consent.ts'
import { storage } from '#web/lib/storage.ts'

/** The answer that the server knows of, or need not: while it differs from the browser's there is something to tell. */
const sentKey = 'consent_sent'
const word = (agreed: boolean) => (agreed ? 'yes' : 'no')

/** The person's answer to marketing, in this browser and, where the server keeps a person, there too. */
export function useConsent(): { answer: boolean | null; say: (agreed: boolean) => Promise<void> } {
  const queryClient = useQueryClient()
  const { data: user, dataUpdatedAt } = useQuery(userQuery)
  const answer = useSyncExternalStore(onConsent, consentAnswer)
  // What was kept of the user from the last visit says nothing of the server's answer.
  const fresh = dataUpdatedAt > 0 ? user : undefined
  const send = useCallback(
    async (agreed: boolean) => {
      if (fresh && needsTelling(fresh, agreed)) {
        const body = { consent: { marketing: agreed } }
        rememberUser(queryClient, await call(changeUser, { body }))
      }
      if (fresh) storage.set(sentKey, word(agreed))
    },
    [fresh, queryClient],
  )
  useEffect(() => {
    if (fresh) void agree(fresh, send)
  }, [fresh, send])
  const say = async (agreed: boolean) => {
    storage.remove(sentKey)
    answerConsent(agreed)
    // Where it did not arrive, it is told on the next visit.
    await send(agreed).catch(() => {})
  }
  return { answer, say }
}

/** No answer is a no, so a guest's no is not told to a server that keeps nothing of the guest. */
const needsTelling = ({ role, consent }: User, agreed: boolean) =>
  consent ? consent.marketing !== agreed : agreed || role === 'member'

/** Browser and server come to the same answer: what was not yet told is told, else the account's holds (docs/tracking.md). */
async function agree(user: User, send: (agreed: boolean) => Promise<void>): Promise<void> {
  const answer = consentAnswer()
  const sent = storage.get(sentKey)
  const unsent = answer !== null && sent !== word(answer)
  if (user.consent && !unsent) {
    const { marketing } = user.consent
    storage.set(sentKey, word(marketing))
    if (marketing !== answer) answerConsent(marketing)
  } else if (answer !== null && (unsent || answer)) await send(answer).catch(() => {})
}
