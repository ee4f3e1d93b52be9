import type { CardFields } from './card-entry.ts'
import { SandboxCard } from './SandboxCard.tsx'
import type { MethodWish } from './wish.ts'

/** The card's fields where a card is paid with. Stripe's are a file of their own, which only comes where they are wanted. */
export async function loadCardFields({ gateway, method }: MethodWish): Promise<CardFields | null> {
  if (method !== 'card') return null
  if (gateway !== 'stripe') return SandboxCard
  return (await import('./stripe/StripeCard.tsx')).StripeCard
}
