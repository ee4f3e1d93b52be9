import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Offer } from '#contract/billing.ts'
import { balanceQuery } from '#web/features/billing/payments/balance-queries.ts'

/** Whether a locked episode is unlocked automatically, as far as the browser knows: the server decides. */
export function useAutoUnlock({ episode, price, balance }: Offer) {
  const [stopped, setStopped] = useState(false)
  const [begun, setBegun] = useState(false)
  const covered = balance?.covers.includes('episode') ?? false
  const { data, isPending } = useQuery({ ...balanceQuery, enabled: covered })
  const agreed = data?.auto_unlocks.find(({ video_id }) => video_id === episode.video_id)
  const isWithin =
    agreed !== undefined &&
    agreed.left_today > 0 &&
    agreed.currency === price.currency &&
    agreed.agreed_cents >= price.episode_cents
  // What is left of the day and the balance changes with the unlock itself, before the episode plays.
  if (covered && isWithin && !begun) setBegun(true)
  return {
    isUnknown: covered && isPending,
    isOn: begun && !stopped,
    stop: () => setStopped(true),
  }
}
