import type { ExpressSection } from '#web/features/billing/express/ExpressSection.tsx'
import { hasExpress } from '#web/features/billing/payments/express-wallet.ts'
import { mayHaveWallet } from '#web/features/billing/express/wallet-availability.ts'
import type { CardFields } from '#web/features/billing/payments/card-entry.ts'
import { SandboxCard } from './SandboxCard.tsx'
import type { MethodFormParams } from '#web/features/billing/payments/checkout-params.ts'

/**
 * Loads the card fields of the gateway; null if the payment method is not a card. Stripe's module is loaded on demand.
 */
export async function loadCardFields({ gateway, method }: MethodFormParams): Promise<CardFields | null> {
  if (method !== 'card') return null
  if (gateway !== 'stripe') return SandboxCard
  return (await import('#web/features/billing/stripe/StripeCard.tsx')).StripeCard
}

/** Loads the express wallet for the place above the card fields; null if there is none or it fails to load. */
export async function loadExpress({
  gateway,
  method,
}: MethodFormParams): Promise<typeof ExpressSection | null> {
  if (method !== 'card' || !hasExpress(gateway) || !mayHaveWallet(gateway)) return null
  return import('#web/features/billing/express/ExpressSection.tsx').then(
    ({ ExpressSection }) => ExpressSection,
    () => null,
  )
}
