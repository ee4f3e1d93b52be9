import { useState } from 'react'
import type { Offer } from '#contract/billing.ts'

/**
 * Returns whether a locked episode will be unlocked automatically. This is only what the browser knows; the server
 * decides.
 */
export function useAutoUnlock({ price, balance }: Offer) {
  const [stopped, setStopped] = useState(false)
  const [hasStarted, setHasStarted] = useState(false)
  const agreed = balance?.covers.includes('episode') ? balance.auto_unlock : undefined
  const isAllowed =
    agreed !== undefined &&
    agreed.remaining_today > 0 &&
    agreed.currency === price.currency &&
    agreed.max_price_cents >= price.episode_cents
  // Stays true once started: the unlock itself changes the daily limit and the balance before the episode plays.
  if (isAllowed && !hasStarted) setHasStarted(true)
  return { isOn: hasStarted && !stopped, stop: () => setStopped(true) }
}
