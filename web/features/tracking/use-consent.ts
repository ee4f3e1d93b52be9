import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { changeUser, type User } from '#contract/members.ts'
import { setCurrentUser, userQuery } from '#web/features/members/queries.ts'
import { call } from '#web/lib/api.ts'
import { answerConsent, consentAnswer, onConsent } from '#web/lib/tracking/consent.ts'
import { storage } from '#web/lib/storage.ts'

/**
 * Storage key of the last answer that the server knows or does not need. If the browser has a different answer, it is
 * sent on the next visit.
 */
const sentKey = 'consent_sent'
const storedAnswer = (agreed: boolean) => (agreed ? 'yes' : 'no')

/**
 * Returns the answer about marketing, and a function that sets it: in this browser and, if the server stores the user,
 * also on the server.
 */
export function useConsent(): { answer: boolean | null; setConsent: (agreed: boolean) => Promise<void> } {
  const queryClient = useQueryClient()
  const { data: user, dataUpdatedAt } = useQuery(userQuery)
  const answer = useSyncExternalStore(onConsent, consentAnswer)
  // Stored data of the last visit may have an outdated answer, so wait for the refetched user.
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
    // If the call fails, the answer is sent on the next visit.
    await send(agreed).catch(() => {})
  }
  return { answer, setConsent }
}

/**
 * Returns whether the answer must be sent to the server. On the server, a missing answer counts as "no", so the first
 * "no" of a guest is not sent.
 */
const needsUpdate = ({ role, consent }: User, agreed: boolean) =>
  consent ? consent.marketing !== agreed : agreed || role === 'member'

/**
 * Synchronizes browser and server: sends an unsent answer, else applies the account's answer to the browser
 * (docs/tracking.md).
 */
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
