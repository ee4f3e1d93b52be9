import { useState } from 'react'
import type { Offer, OfferedGateway } from '#contract/billing.ts'
import type { Problem } from '#web/features/billing/payments/use-payment-steps.ts'
import type { Choice } from '#web/features/billing/payments/price-copy.ts'
import { hasExpress } from '#web/features/billing/payments/express-wallet.ts'
import { mayHaveWallet } from './wallet-availability.ts'

/** Returns the express wallets that a panel offers and their prices. */
export function useExpressOffer({ gateways }: Pick<Offer, 'gateways'>) {
  // Computed once when the panel opens: removing the reserved space later would move the buttons.
  const [wallets] = useState(() =>
    gateways.filter(({ id, kind }) => kind === 'card' && hasExpress(id) && mayHaveWallet(id)),
  )
  const [usesRegularPrice, setUsesRegularPrice] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  return {
    problem,
    setProblem,
    /** True if space is reserved for a wallet. */
    isOffered: wallets.length > 0,
    /** Returns the wallet of the chosen gateway, else the first. */
    walletFor: (chosen: OfferedGateway | undefined) =>
      wallets.find(({ id }) => id === chosen?.id) ?? wallets[0],
    /** Returns a choice at this user's price. */
    withUserPrice: (choice: Choice): Choice => (usesRegularPrice ? { ...choice, ...choice.regular } : choice),
    /** Switches to the regular price if the wallet's owner is not eligible for the introductory one. @returns whether it did */
    switchToRegularPrice(choice: Choice, cents: number): boolean {
      const isRegularPrice = choice.regular?.cents === cents
      if (isRegularPrice) setUsesRegularPrice(true)
      return isRegularPrice
    },
  }
}
