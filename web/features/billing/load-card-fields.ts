import type { ExpressAbove } from './express/ExpressAbove.tsx'
import { hasExpress } from './express/express-wallet.ts'
import { mayHaveWallet } from './express/remembered-wallet.ts'
import type { CardFields } from './card-entry.ts'
import { SandboxCard } from './SandboxCard.tsx'
import type { MethodWish } from './wish.ts'

/** The card's fields where a card is paid with. Stripe's are a file of their own, which only comes where they are wanted. */
export async function loadCardFields({ gateway, method }: MethodWish): Promise<CardFields | null> {
  if (method !== 'card') return null
  if (gateway !== 'stripe') return SandboxCard
  return (await import('./stripe/StripeCard.tsx')).StripeCard
}

/** The express wallet above the card's fields; null where there is none. The form does without one that does not load. */
export async function loadExpress({ gateway, method }: MethodWish): Promise<typeof ExpressAbove | null> {
  if (method !== 'card' || !hasExpress(gateway) || !mayHaveWallet(gateway)) return null
  return import('./express/ExpressAbove.tsx').then(
    ({ ExpressAbove }) => ExpressAbove,
    () => null,
  )
}
