import type { QueryClient } from '@tanstack/react-query'
import { balanceQuery } from '#web/features/billing/payments/balance-queries.ts'
import { readRecord, saveRecord } from '#web/lib/storage.ts'
import { mountRoot } from '#web/ui/mount-root.tsx'
import { AutoUnlockPrompt, type AutoUnlockOffer } from './AutoUnlockPrompt.tsx'

const declinedKey = 'auto-unlock-declined'
const maxDeclined = 50

/**
 * Offers auto-unlock after an episode was unlocked from the balance. Does nothing if auto-unlock is already on for the
 * drama or was declined for it in this browser, or if the balance does not cover another episode.
 */
export async function offerAutoUnlock(queryClient: QueryClient, offer: AutoUnlockOffer): Promise<void> {
  const { videoId, cents, currency } = offer
  const declined = readRecord<string[]>(declinedKey) ?? []
  if (declined.includes(videoId)) return
  const { auto_unlocks, balances } = await queryClient.fetchQuery({ ...balanceQuery, staleTime: 0 })
  const availableCents = balances.find((balance) => balance.currency === currency)?.available_cents ?? 0
  if (availableCents < cents || auto_unlocks.some(({ video_id }) => video_id === videoId)) return
  const decline = () => saveRecord(declinedKey, [videoId, ...declined].slice(0, maxDeclined))
  mountRoot(queryClient, (close) => <AutoUnlockPrompt offer={offer} onDecline={decline} onClose={close} />)
}
