import { useState } from 'react'
import type { Offer } from '#contract/billing.ts'

/** Whether a locked episode is unlocked automatically, as far as the browser knows: the server decides. */
export function useAutoUnlock({ price, balance }: Offer) {
  const [stopped, setStopped] = useState(false)
  const [begun, setBegun] = useState(false)
  const agreed = balance?.covers.includes('episode') ? balance.auto_unlock : undefined
  const isWithin =
    agreed !== undefined &&
    agreed.left_today > 0 &&
    agreed.currency === price.currency &&
    agreed.agreed_cents >= price.episode_cents
  // What is left of the day and the balance changes with the unlock itself, before the episode plays.
  if (isWithin && !begun) setBegun(true)
  return { isOn: begun && !stopped, stop: () => setStopped(true) }
}
