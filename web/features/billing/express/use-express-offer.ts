import { useState } from 'react'
import type { Offer, OfferedGateway } from '#contract/billing.ts'
import type { Problem } from '#web/features/billing/payments/use-payment-steps.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'
import { hasExpress } from '#web/features/billing/payments/express-wallet.ts'
import { mayHaveWallet } from './wallet-availability.ts'

/** Returns the express wallets of a payment panel, with the price that applies to the user. */
export function useExpressOffer({ gateways }: Pick<Offer, 'gateways'>) {
  // Computed once when the panel opens: if the space for the button disappeared later, the buttons below would move.
  const [wallets] = useState(() =>
    gateways.filter(({ id, kind }) => kind === 'card' && hasExpress(id) && mayHaveWallet(id)),
  )
  const [usesRegularPrice, setUsesRegularPrice] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  return {
    problem,
    setProblem,
    /** True if the panel reserves space for a wallet. */
    isOffered: wallets.length > 0,
    /** Returns the wallet of the chosen gateway, else the first wallet. */
    walletFor: (chosen: OfferedGateway | undefined) =>
      wallets.find(({ id }) => id === chosen?.id) ?? wallets[0],
    /** Returns a choice at the price for this user. */
    withUserPrice: (choice: Choice): Choice => (usesRegularPrice ? { ...choice, ...choice.regular } : choice),
    /**
     * Switches to the regular price if the user is not eligible for the introductory price.
     * @returns whether `cents` is the regular price
     */
    switchToRegularPrice(choice: Choice, cents: number): boolean {
      const isRegularPrice = choice.regular?.cents === cents
      if (isRegularPrice) setUsesRegularPrice(true)
      return isRegularPrice
    },
  }
}
