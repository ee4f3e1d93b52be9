import { useState } from 'react'
import type { Offer, OfferedGateway } from '#contract/billing.ts'
import type { Problem } from '#web/features/billing/payments/use-payment-steps.ts'
import type { Choice } from '#web/features/billing/payments/price-copy.ts'
import { hasExpress } from '#web/features/billing/payments/express-wallet.ts'
import { mayHaveWallet } from './remembered-wallet.ts'

/** What a panel with room for an express wallet knows of it. */
export function useExpressOffer({ gateways }: Pick<Offer, 'gateways'>) {
  // Kept as it was when the panel came: room that is taken away would move what is under the finger.
  const [wallets] = useState(() =>
    gateways.filter(({ id, kind }) => kind === 'card' && hasExpress(id) && mayHaveWallet(id)),
  )
  const [isRegular, setRegular] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  return {
    problem,
    setProblem,
    /** Whether there is room for any. */
    isOffered: wallets.length > 0,
    /** The wallet of the gateway that is chosen, else the first. */
    walletFor: (chosen: OfferedGateway | undefined) =>
      wallets.find(({ id }) => id === chosen?.id) ?? wallets[0],
    /** A choice at the price that it has for this person. */
    priced: (choice: Choice): Choice => (isRegular ? { ...choice, ...choice.regular } : choice),
    /** Its introductory price turned out not to be for whom the wallet belongs to. @returns whether that is it */
    takeRegular(choice: Choice, cents: number): boolean {
      const isIt = choice.regular?.cents === cents
      if (isIt) setRegular(true)
      return isIt
    },
  }
}
