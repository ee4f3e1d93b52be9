import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { changeUser, type User } from '#contract/members.ts'
import { setCurrentUser, userQuery } from '#web/features/members/queries.ts'
import { call } from '#web/lib/api.ts'
import { answerConsent, consentAnswer, onConsent } from '#web/lib/tracking/consent.ts'
import { storage } from '#web/lib/storage.ts'

/** Storage key of the answer that the server has, or does not need. It is sent while it differs from the browser's answer. */
const sentKey = 'consent_sent'
const storedAnswer = (agreed: boolean) => (agreed ? 'yes' : 'no')

/** Returns the user's consent to marketing, and a function that sets it in this browser and, if the user has a row, on the server. */
export function useConsent(): { answer: boolean | null; setConsent: (agreed: boolean) => Promise<void> } {
  const queryClient = useQueryClient()
  const { data: user, dataUpdatedAt } = useQuery(userQuery)
  const answer = useSyncExternalStore(onConsent, consentAnswer)
  // The cached user of the last visit does not reflect the server's current answer.
  const fresh = dataUpdatedAt > 0 ? user : undefined
  const send = useCallback(
    async (agreed: boolean) => {
      if (fresh && needsUpdate(fresh, agreed)) {
        const body = { consent: { marketing: agreed } }
        setCurrentUser(queryClient, await call(changeUser, { body }))
      }
      if (fresh) storage.set(sentKey, storedAnswer(agreed))
    },
    [fresh, queryClient],
  )
  useEffect(() => {
    if (fresh) void syncConsent(fresh, send)
  }, [fresh, send])
  const setConsent = async (agreed: boolean) => {
    storage.remove(sentKey)
    answerConsent(agreed)
    // If sending fails, it is sent on the next visit.
    await send(agreed).catch(() => {})
  }
  return { answer, setConsent }
}

/**
 * Returns whether the server needs the answer. No answer counts as no, so a guest's "no" is not sent to a server that has no row
 * for the guest.
 */
const needsUpdate = ({ role, consent }: User, agreed: boolean) =>
  consent ? consent.marketing !== agreed : agreed || role === 'member'

/** Synchronizes browser and server: an unsent answer is sent, else the account's answer applies (docs/tracking.md). */
async function syncConsent(user: User, send: (agreed: boolean) => Promise<void>): Promise<void> {
  const answer = consentAnswer()
  const sent = storage.get(sentKey)
  const unsent = answer !== null && sent !== storedAnswer(answer)
  if (user.consent && !unsent) {
    const { marketing } = user.consent
    storage.set(sentKey, storedAnswer(marketing))
    if (marketing !== answer) answerConsent(marketing)
  } else if (answer !== null && (unsent || answer)) await send(answer).catch(() => {})
}
